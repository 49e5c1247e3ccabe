#include "verification/support/process/pipe.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace normproof::verification::support::process {

using ref::io::Descriptor;

Pipe make_pipe(const std::string& what) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), what);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::ptrdiff_t write_without_signal(int descriptor, std::string_view text) {
  sigset_t pipe_signal, before;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written =
      ref::io::retry_interrupted([&] { return ::write(descriptor, text.data(), text.size()); });
  const int error = errno;
  const timespec at_once = {0, 0};
  if (written < 0 && error == EPIPE) ::sigtimedwait(&pipe_signal, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = received_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      searched_ = 0;
      return line;
    }
    searched_ = received_.size();
    if (ref::io::read_once(descriptor_, received_) <= 0) return std::nullopt;
  }
}

}  // namespace normproof::verification::support::process
