#include "verification/golden/candidate/program_candidate.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/golden/candidate/candidate_process.hpp"
#include "verification/golden/candidate/pipe_text.hpp"

namespace normproof::verification::golden::candidate {

using ref::numeric::FileError;

namespace {

/// A candidate program that receives the cases one at a time. If it ends, it is restarted for the
/// next case.
class Program {
 public:
  Program(std::string command, double seconds, int max_restarts,
          std::function<void(const std::string&)> on_standard_error)
      : command_(std::move(command)),
        seconds_(seconds),
        max_restarts_(max_restarts),
        on_standard_error_(std::move(on_standard_error)) {}
  ~Program() {
    stop();
    if (on_standard_error_ && !standard_error_.empty()) on_standard_error_(standard_error_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CandidateOutput query(const StoredCase& stored) {
    const std::string& path = stored.description.path;
    const std::string line = request_line(stored);
    if (auto reason = parse_decline_line(line, path))
      return CandidateOutput::declined(std::move(*reason));
    if (const auto error = parse_error_line(line, path))
      throw FileError(
          fmt::format("the candidate reports an error{}{}", error->empty() ? "" : ": ", *error));
    try {
      return parse_output_line(line, path);
    } catch (const FileError&) {
      stop();
      throw;
    }
  }

 private:
  std::string request_line(const StoredCase& stored) {
    if (has_given_up())
      throw FileError(fmt::format(
          "the candidate was started {} times in a row without an answer; it is not asked again",
          silent_starts_ + crashed_starts_));
    const bool is_new_process = !process_;
    try {
      if (is_new_process) process_ = std::make_unique<CandidateProcess>(command_);
      std::string line =
          process_->query(case_to_line(stored.description.c), seconds_, max_output_bytes(stored));
      silent_starts_ = crashed_starts_ = 0;
      ++answered_count_;
      return line;
    } catch (const FileError& error) {
      if (is_new_process && answered_count_ == 0 && process_->could_not_run()) {
        process_.reset();
        throw ref::numeric::UsageError(
            fmt::format("the command is not run: {}; expected one that reads a line a case and "
                        "prints its answer",
                        error.what()));
      }
      if (is_new_process) ++(process_->crashed() ? crashed_starts_ : silent_starts_);
      stop();
      throw;
    }
  }

  /// Whether to stop restarting the program. A crash counts less than any other failure: it may be
  /// caused by a single case, so that later cases are still worth trying. A program that only
  /// crashes is given up eventually, because each start may take seconds.
  bool has_given_up() const {
    constexpr int kCrashFactor = 8;
    return silent_starts_ >= max_restarts_ ||
           crashed_starts_ >= kCrashFactor * max_restarts_ + answered_count_;
  }

  void stop() {
    if (!process_) return;
    constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 10;
    standard_error_ += process_->standard_error();
    if (standard_error_.size() > kMaxErrorBytes)
      standard_error_.erase(0, standard_error_.size() - kMaxErrorBytes);
    process_.reset();
  }

  std::string command_;
  double seconds_;
  int max_restarts_;
  std::function<void(const std::string&)> on_standard_error_;
  std::unique_ptr<CandidateProcess> process_;
  std::string standard_error_;
  /// The numbers of consecutive processes that printed no line: `crashed_starts_` counts the
  /// processes that crashed, and `silent_starts_` counts all other ones.
  int silent_starts_ = 0, crashed_starts_ = 0;
  int answered_count_ = 0;
};

}  // namespace

Candidate make_program_candidate(const std::string& command, double seconds, int max_restarts,
                                 std::function<void(const std::string&)> on_standard_error) {
  const auto program =
      std::make_shared<Program>(command, seconds, max_restarts, std::move(on_standard_error));
  return [program](const StoredCase& stored) { return program->query(stored); };
}

}  // namespace normproof::verification::golden::candidate
