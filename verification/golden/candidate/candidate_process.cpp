#include "verification/golden/candidate/candidate_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/child.hpp"
#include "verification/support/process/mark.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::golden::candidate {

using ref::io::Descriptor;
using ref::numeric::FileError;

namespace {

constexpr std::size_t kMostComplaints = std::size_t{64} << 10;
constexpr std::size_t kMostShownOfALine = 200;
/// How often it is asked whether the program still runs: another process may hold its output open.
constexpr long long kLookMilliseconds = 100;

[[noreturn]] void system_failure(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("the candidate: ") + call);
}

/// What the process of the candidate does: /bin/sh, between the three pipes.
int run_by_shell(const std::string& command, const support::process::Mark& mark,
                 const support::process::Pipe& to_it, const support::process::Pipe& from_it,
                 const support::process::Pipe& complaints) {
  ::dup2(to_it.reading.get(), STDIN_FILENO);
  ::dup2(from_it.writing.get(), STDOUT_FILENO);
  ::dup2(complaints.writing.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::execle("/bin/sh", "sh", "-c", command.c_str(), nullptr, mark.environment());
  return 127;
}

/// The last line that is not blank, as far as it is worth showing.
std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.rfind('\n') + 1).substr(0, kMostShownOfALine);
}

}  // namespace

struct CandidateProcess::Impl {
  support::process::Mark mark;
  support::process::Child child;
  Descriptor in;   ///< its standard input
  Descriptor out;  ///< its standard output
  Descriptor err;  ///< its standard error; closed once it has closed it
  std::string received, complaints;
  std::optional<support::process::Ending> ending;

  void start(const std::string& command) {
    support::process::Pipe to_it = support::process::make_pipe("the candidate: pipe");
    support::process::Pipe from_it = support::process::make_pipe("the candidate: pipe");
    support::process::Pipe complaining = support::process::make_pipe("the candidate: pipe");
    child = support::process::Child::begin(
        "the candidate: fork",
        [&] { return run_by_shell(command, mark, to_it, from_it, complaining); },
        {.leads_group = true, .ends_with_parent = true});
    in = std::move(to_it.writing);
    out = std::move(from_it.reading);
    err = std::move(complaining.reading);
    for (const Descriptor* const file : {&in, &out, &err})
      ::fcntl(file->get(), F_SETFL, O_NONBLOCK);
  }

  /// Keeps the end of what there is on standard error: of a program that prints without end no more
  /// is read here than a pipe holds.
  void hear() {
    for (int reads = 0; err.is_open() && reads < 16; ++reads) {
      const std::ptrdiff_t count = ref::io::read_some(err.get(), complaints);
      if (complaints.size() > kMostComplaints)
        complaints.erase(0, complaints.size() - kMostComplaints);
      if (count == 0) err.close();
      if (count <= 0) return;
    }
  }

  bool has_ended() {
    if (!ending) ending = child.try_wait();
    return ending.has_value();
  }

  [[noreturn]] void fail_ended() {
    hear();
    const std::string_view last = last_line(complaints);
    throw FileError(
        fmt::format("the candidate {} {} before it answered{}",
                    ending->by_signal ? "was ended by signal" : "ended with status", ending->code,
                    last.empty() ? "" : fmt::format("; its standard error ends with: {}", last)));
  }

  /// The program has closed its output: it has ended, or is about to.
  [[noreturn]] void fail_closed() {
    in.close();
    for (int tries = 0; tries < 100; ++tries) {
      if (has_ended()) fail_ended();
      ::usleep(10'000);
    }
    throw FileError("the candidate closed its standard output before it answered");
  }

  /// Takes what there is; whether a whole line has come.
  bool take(std::size_t most_bytes) {
    const std::ptrdiff_t count = ref::io::read_some(out.get(), received);
    if (count == 0) fail_closed();
    if (count < 0) {
      if (errno != EAGAIN) system_failure("read");
      return false;
    }
    if (received.size() > most_bytes)
      throw FileError(
          fmt::format("the candidate's answer has more than {} bytes, which is more than the case "
                      "needs; expected one line",
                      most_bytes));
    return received.find('\n', received.size() - static_cast<std::size_t>(count)) !=
           std::string::npos;
  }

  /// A program that has ended is heard out, for its answer may be on the way. Nothing else comes,
  /// even where a process that it left behind holds its output open.
  bool take_what_is_left(std::size_t most_bytes) {
    if (!has_ended()) return false;
    pollfd file = {out.get(), POLLIN, 0};
    while (::poll(&file, 1, 0) > 0 && (file.revents & POLLIN) != 0)
      if (take(most_bytes)) return true;
    fail_ended();
  }

  /// Gives what it takes. A program that has closed its input may still answer.
  void give(std::string_view text, std::size_t& given) {
    const std::ptrdiff_t count = support::process::write_quietly(in.get(), text.substr(given));
    if (count >= 0) {
      given += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      given = text.size();
    } else if (errno != EAGAIN) {
      system_failure("write");
    }
  }

  /// Waits for a line with the question on its way; whether it has come whole.
  bool step(std::string_view text, std::size_t& given, long long milliseconds,
            std::size_t most_bytes) {
    // A negative descriptor is none to poll.
    std::array<pollfd, 3> files = {{{out.get(), POLLIN, 0},
                                    {err.is_open() ? err.get() : -1, POLLIN, 0},
                                    {given < text.size() ? in.get() : -1, POLLOUT, 0}}};
    const int ready = ::poll(files.data(), files.size(),
                             static_cast<int>(std::min(milliseconds, kLookMilliseconds)));
    if (ready < 0 && errno != EINTR) system_failure("poll");
    if (ready < 0) return false;
    if (files[2].revents != 0) give(text, given);
    if (files[1].revents != 0) hear();
    return files[0].revents != 0 ? take(most_bytes) : take_what_is_left(most_bytes);
  }
};

CandidateProcess::CandidateProcess(const std::string& command) : impl_(std::make_unique<Impl>()) {
  impl_->start(command);
}

CandidateProcess::~CandidateProcess() {
  impl_->child = {};  // first, for it begins the others
  impl_->mark.end_all();
}

std::string CandidateProcess::ask(const std::string& line, double seconds, std::size_t most_bytes) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  const std::string text = line + "\n";
  impl_->received.clear();
  for (std::size_t given = 0;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      throw FileError(fmt::format("the candidate did not answer within {} s", seconds));
    if (!impl_->step(text, given, left.count() + 1, most_bytes)) continue;
    const std::size_t newline = impl_->received.find('\n');
    if (newline + 1 != impl_->received.size())
      throw FileError("the candidate answered with more than one line; expected one a case");
    impl_->received.pop_back();
    return impl_->received;
  }
}

bool CandidateProcess::crashed() const {
  constexpr int kOfAShell = 128, kMostSignal = 64;
  const auto& ending = impl_->ending;
  return ending && (ending->by_signal ||
                    (ending->code > kOfAShell && ending->code <= kOfAShell + kMostSignal));
}

bool CandidateProcess::not_run() const {
  constexpr int kCannotRun = 126, kNotFound = 127;
  const auto& ending = impl_->ending;
  return ending && !ending->by_signal && (ending->code == kCannotRun || ending->code == kNotFound);
}

std::string CandidateProcess::complaints() {
  impl_->hear();
  return impl_->complaints;
}

}  // namespace normproof::verification::golden::candidate
