#include "verification/golden/gate/candidate_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/process/child.hpp"
#include "verification/process/pipe.hpp"

namespace normproof::verification::golden::gate {

using ref::io::Descriptor;
using ref::numeric::FileError;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

[[noreturn]] void system_failure(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("the candidate: ") + call);
}

/// What the process of the candidate does: /bin/sh, between the two pipes.
int run_by_shell(const std::string& command, const process::Pipe& to_it,
                 const process::Pipe& from_it) {
  ::dup2(to_it.reading.get(), STDIN_FILENO);
  ::dup2(from_it.writing.get(), STDOUT_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  return 127;
}

}  // namespace

struct CandidateProcess::Impl {
  process::Child child;
  Descriptor in;   ///< its standard input
  Descriptor out;  ///< its standard output
  std::string received;

  void start(const std::string& command) {
    process::Pipe to_it = process::make_pipe("the candidate: pipe");
    process::Pipe from_it = process::make_pipe("the candidate: pipe");
    child = process::Child::begin("the candidate: fork",
                                  [&] { return run_by_shell(command, to_it, from_it); },
                                  {.leads_group = true});
    in = std::move(to_it.writing);
    out = std::move(from_it.reading);
    ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(out.get(), F_SETFL, O_NONBLOCK);
  }

  /// The program has closed its output: it has ended, or is about to.
  [[noreturn]] void fail_ended() {
    in.close();
    for (int tries = 0; tries < 100; ++tries) {
      if (const auto ending = child.try_wait())
        throw FileError(fmt::format("the candidate {} {} before it answered",
                                    ending->by_signal ? "was ended by signal" : "ended with status",
                                    ending->code));
      ::usleep(10'000);
    }
    throw FileError("the candidate closed its standard output before it answered");
  }

  /// Takes what there is; whether a whole line has come.
  bool take() {
    const std::ptrdiff_t count = ref::io::read_some(out.get(), received);
    if (count == 0) fail_ended();
    if (count < 0) {
      if (errno != EAGAIN) system_failure("read");
      return false;
    }
    if (received.size() > kMostBytes)
      throw FileError("the candidate's answer has more than 2^30 bytes; expected one line");
    return received.find('\n', received.size() - static_cast<std::size_t>(count)) !=
           std::string::npos;
  }

  /// Gives what it takes. A program that has closed its input may still answer.
  void give(std::string_view text, std::size_t& given) {
    const std::ptrdiff_t count = process::write_quietly(in.get(), text.substr(given));
    if (count >= 0) {
      given += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      given = text.size();
    } else if (errno != EAGAIN) {
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
    std::array<pollfd, 2> files = {{{impl_->out.get(), POLLIN, 0}, {impl_->in.get(), POLLOUT, 0}}};
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
