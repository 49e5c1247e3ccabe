#include "verification/golden/gate/candidate_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::gate {

using ref::numeric::FileError;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

[[noreturn]] void system_failure(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("the candidate: ") + call);
}

/// write without SIGPIPE, whether the program ignores that signal or not.
ssize_t write_quietly(int file, const char* bytes, std::size_t count) {
  sigset_t pipe_signal, before;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = ::write(file, bytes, count);
  const int error = errno;
  const timespec at_once = {0, 0};
  if (written < 0 && error == EPIPE) ::sigtimedwait(&pipe_signal, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

void close_file(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

}  // namespace

struct CandidateProcess::Impl {
  pid_t process = -1;
  int in = -1;   ///< its standard input
  int out = -1;  ///< its standard output
  std::string received;

  ~Impl() {
    close_file(in);
    close_file(out);
    if (process <= 0) return;
    ::kill(-process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  void start(const std::string& command) {
    int to_it[2], from_it[2];
    if (::pipe2(to_it, O_CLOEXEC) != 0) system_failure("pipe");
    if (::pipe2(from_it, O_CLOEXEC) != 0) {
      ::close(to_it[0]);
      ::close(to_it[1]);
      system_failure("pipe");
    }
    in = to_it[1];
    out = from_it[0];
    process = ::fork();
    if (process == 0) {
      ::setpgid(0, 0);  // so that what it begins ends with it
      ::dup2(to_it[0], STDIN_FILENO);
      ::dup2(from_it[1], STDOUT_FILENO);
      ::signal(SIGPIPE, SIG_DFL);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to_it[0]);
    ::close(from_it[1]);
    if (process < 0) system_failure("fork");
    ::setpgid(process, process);
    ::fcntl(in, F_SETFL, O_NONBLOCK);
    ::fcntl(out, F_SETFL, O_NONBLOCK);
  }

  /// The program has closed its output: it has ended, or is about to.
  [[noreturn]] void fail_ended() {
    close_file(in);
    int status = 0;
    for (int tries = 0; tries < 100; ++tries) {
      const pid_t ended = ::waitpid(process, &status, WNOHANG);
      if (ended == process) {
        process = -1;
        throw FileError(WIFSIGNALED(status)
                            ? fmt::format("the candidate was ended by signal {} before it answered",
                                          WTERMSIG(status))
                            : fmt::format("the candidate ended with status {} before it answered",
                                          WEXITSTATUS(status)));
      }
      ::usleep(10'000);
    }
    throw FileError("the candidate closed its standard output before it answered");
  }

  /// Takes what there is; whether a whole line has come.
  bool take() {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(out, buffer.data(), buffer.size());
    if (count == 0) fail_ended();
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) system_failure("read");
      return false;
    }
    received.append(buffer.data(), static_cast<std::size_t>(count));
    if (received.size() > kMostBytes)
      throw FileError("the candidate's answer has more than 2^30 bytes; expected one line");
    return received.find('\n', received.size() - static_cast<std::size_t>(count)) !=
           std::string::npos;
  }

  /// Gives what it takes. A program that has closed its input may still answer.
  void give(const std::string& text, std::size_t& given) {
    const ssize_t count = write_quietly(in, text.data() + given, text.size() - given);
    if (count >= 0) {
      given += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      given = text.size();
    } else if (errno != EAGAIN && errno != EINTR) {
      system_failure("write");
    }
  }
};

CandidateProcess::CandidateProcess(const std::string& command) : impl_(std::make_unique<Impl>()) {
  impl_->start(command);
}

CandidateProcess::~CandidateProcess() = default;

std::string CandidateProcess::ask(const std::string& line, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  const std::string text = line + "\n";
  impl_->received.clear();
  for (std::size_t given = 0;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      throw FileError(fmt::format("the candidate did not answer within {} s", seconds));
    std::array<pollfd, 2> files = {{{impl_->out, POLLIN, 0}, {impl_->in, POLLOUT, 0}}};
    const nfds_t count = given < text.size() ? 2 : 1;
    const int ready = ::poll(files.data(), count,
                             static_cast<int>(std::min<long long>(left.count() + 1, 1'000'000)));
    if (ready < 0 && errno != EINTR) system_failure("poll");
    if (ready <= 0) continue;
    if (count == 2 && files[1].revents != 0) impl_->give(text, given);
    if (files[0].revents == 0 || !impl_->take()) continue;
    const std::size_t newline = impl_->received.find('\n');
    if (newline + 1 != impl_->received.size())
      throw FileError("the candidate answered with more than one line; expected one a case");
    impl_->received.pop_back();
    return impl_->received;
  }
}

}  // namespace normproof::verification::golden::gate
