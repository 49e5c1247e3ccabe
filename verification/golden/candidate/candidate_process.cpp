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
#include "verification/support/process/pipe.hpp"
#include "verification/support/process/process_tree.hpp"

namespace normproof::verification::golden::candidate {

using ref::io::Descriptor;
using ref::numeric::FileError;

namespace {

constexpr std::size_t kMaxStandardError = std::size_t{64} << 10;
constexpr std::size_t kMaxShownLineBytes = 200;
/// The interval in milliseconds at which to check whether the program still runs. Waiting for the
/// end of its output is not enough, because another process may keep the output open.
constexpr long long kPollMilliseconds = 100;

[[noreturn]] void throw_system_error(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("the candidate: ") + call);
}

/// Connects the pipes to the standard streams and replaces the child process by /bin/sh.
int run_shell_in_child(const std::string& command, const support::process::Pipe& input_pipe,
                       const support::process::Pipe& output_pipe,
                       const support::process::Pipe& standard_error) {
  ::dup2(input_pipe.reading.get(), STDIN_FILENO);
  ::dup2(output_pipe.writing.get(), STDOUT_FILENO);
  ::dup2(standard_error.writing.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  return 127;
}

/// Returns the last nonblank line of the text, truncated for display.
std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.rfind('\n') + 1).substr(0, kMaxShownLineBytes);
}

}  // namespace

struct CandidateProcess::Impl {
  Descriptor in;   ///< the program's standard input
  Descriptor out;  ///< the program's standard output
  Descriptor err;  ///< the program's standard error, closed here when the program closes it
  std::string received, standard_error;
  std::optional<support::process::ProcessEnding> ending;
  /// The process tree of the program. It is declared last, so that the destructor ends the program
  /// before it closes the pipes.
  support::process::ProcessTree tree;

  void start(const std::string& command) {
    support::process::Pipe input_pipe = support::process::make_pipe("the candidate: pipe");
    support::process::Pipe output_pipe = support::process::make_pipe("the candidate: pipe");
    support::process::Pipe error_pipe = support::process::make_pipe("the candidate: pipe");
    tree = support::process::ProcessTree("the candidate: fork", [&] {
      return run_shell_in_child(command, input_pipe, output_pipe, error_pipe);
    });
    in = std::move(input_pipe.writing);
    out = std::move(output_pipe.reading);
    err = std::move(error_pipe.reading);
    for (const Descriptor* const file : {&in, &out, &err})
      ::fcntl(file->get(), F_SETFL, O_NONBLOCK);
  }

  /// Reads what is available on standard error and stores the last kMaxStandardError bytes. A
  /// single call reads a bounded number of bytes, even if the program prints without end.
  void read_standard_error() {
    for (int reads = 0; err.is_open() && reads < 16; ++reads) {
      const std::ptrdiff_t count = ref::io::read_once(err.get(), standard_error);
      if (standard_error.size() > kMaxStandardError)
        standard_error.erase(0, standard_error.size() - kMaxStandardError);
      if (count == 0) err.close();
      if (count <= 0) return;
    }
  }

  bool has_ended() {
    if (!ending) ending = tree.try_wait();
    return ending.has_value();
  }

  [[noreturn]] void throw_program_ended() {
    read_standard_error();
    const std::string_view last = last_line(standard_error);
    throw FileError(
        fmt::format("the candidate {} {} before it answered{}",
                    ending->by_signal ? "was ended by signal" : "ended with status", ending->code,
                    last.empty() ? "" : fmt::format("; its standard error ends with: {}", last)));
  }

  /// Throws the FileError for a program that has closed its output. Such a program has usually
  /// ended or is about to end, so this function first waits up to one second for its end.
  [[noreturn]] void fail_output_closed() {
    in.close();
    for (int tries = 0; tries < 100; ++tries) {
      if (has_ended()) throw_program_ended();
      ::usleep(10'000);
    }
    throw FileError("the candidate closed its standard output before it answered");
  }

  /// Reads what is available. Returns whether a whole line has arrived.
  bool read_available(std::size_t max_bytes) {
    const std::ptrdiff_t count = ref::io::read_once(out.get(), received);
    if (count == 0) fail_output_closed();
    if (count < 0) {
      if (errno != EAGAIN) throw_system_error("read");
      return false;
    }
    if (received.size() > max_bytes)
      throw FileError(
          fmt::format("the candidate's answer has more than {} bytes, which is more than the case "
                      "needs; expected one line",
                      max_bytes));
    return received.find('\n', received.size() - static_cast<std::size_t>(count)) !=
           std::string::npos;
  }

  /// If the program has ended, reads the rest of its output and returns whether the rest contains a
  /// whole line. No further output can follow, even if a process that the program left behind keeps
  /// the pipe open.
  bool read_remaining(std::size_t max_bytes) {
    if (!has_ended()) return false;
    pollfd file = {out.get(), POLLIN, 0};
    while (::poll(&file, 1, 0) > 0 && (file.revents & POLLIN) != 0)
      if (read_available(max_bytes)) return true;
    throw_program_ended();
  }

  /// Writes as much of the text as the pipe accepts. If the program has closed its input, the rest
  /// is skipped, because the program may still send its output.
  void write_available(std::string_view text, std::size_t& given) {
    const std::ptrdiff_t count =
        support::process::write_without_signal(in.get(), text.substr(given));
    if (count >= 0) {
      given += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      given = text.size();
    } else if (errno != EAGAIN) {
      throw_system_error("write");
    }
  }

  /// Waits once, for at most `milliseconds`, until the program prints something on its output or on
  /// standard error or accepts more input. Returns whether a whole line of output has arrived.
  bool poll_once(std::string_view text, std::size_t& given, long long milliseconds,
                 std::size_t max_bytes) {
    // The function poll ignores negative descriptors.
    std::array<pollfd, 3> files = {{{out.get(), POLLIN, 0},
                                    {err.is_open() ? err.get() : -1, POLLIN, 0},
                                    {given < text.size() ? in.get() : -1, POLLOUT, 0}}};
    const int ready = ::poll(files.data(), files.size(),
                             static_cast<int>(std::min(milliseconds, kPollMilliseconds)));
    if (ready < 0 && errno != EINTR) throw_system_error("poll");
    if (ready < 0) return false;
    if (files[2].revents != 0) write_available(text, given);
    if (files[1].revents != 0) read_standard_error();
    return files[0].revents != 0 ? read_available(max_bytes) : read_remaining(max_bytes);
  }
};

CandidateProcess::CandidateProcess(const std::string& command) : impl_(std::make_unique<Impl>()) {
  impl_->start(command);
}

CandidateProcess::~CandidateProcess() = default;

std::string CandidateProcess::query(const std::string& line, double seconds,
                                    std::size_t max_bytes) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  const std::string text = line + "\n";
  impl_->received.clear();
  for (std::size_t given = 0;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      throw FileError(fmt::format("the candidate did not answer within {} s", seconds));
    if (!impl_->poll_once(text, given, left.count() + 1, max_bytes)) continue;
    const std::size_t newline = impl_->received.find('\n');
    if (newline + 1 != impl_->received.size())
      throw FileError("the candidate answered with more than one line; expected one a case");
    impl_->received.pop_back();
    return impl_->received;
  }
}

bool CandidateProcess::crashed() const {
  constexpr int kShellSignalBase = 128, kMaxSignal = 64;
  const auto& ending = impl_->ending;
  return ending && (ending->by_signal || (ending->code > kShellSignalBase &&
                                          ending->code <= kShellSignalBase + kMaxSignal));
}

bool CandidateProcess::could_not_run() const {
  constexpr int kStatusCannotRun = 126, kStatusNotFound = 127;
  const auto& ending = impl_->ending;
  return ending && !ending->by_signal &&
         (ending->code == kStatusCannotRun || ending->code == kStatusNotFound);
}

std::string CandidateProcess::standard_error() {
  impl_->read_standard_error();
  return impl_->standard_error;
}

}  // namespace normproof::verification::golden::candidate
