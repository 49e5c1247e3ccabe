#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <set>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/candidate/candidate_process.hpp"
#include "verification/golden/candidate/pipe_text.hpp"
#include "verification/golden/certify/for_each.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/diagnose.hpp"

namespace normproof::verification::golden::gate {

using certify::for_each;
using certify::read_case;

namespace fs = std::filesystem;
using ref::numeric::FileError;

namespace {

/// The maximum size in bytes of a candidate's output for a case, as a line or a file: twice the
/// longest number for every element and every remainder, plus room for names and sentences.
std::size_t max_output_bytes(const StoredCase& stored) {
  constexpr std::size_t kBytesPerNumber = 64, kOverheadBytes = std::size_t{64} << 10;
  std::size_t bytes = kOverheadBytes;
  for (const StoredTensor& tensor : stored.expected)
    bytes += kBytesPerNumber * (tensor.bytes.size() / ref::io::item_size(tensor.dtype));
  return bytes;
}

/// A candidate program that gets one case after the other and is restarted if it ends.
class Program {
 public:
  Program(std::string command, double seconds, int max_restarts,
          std::function<void(const std::string&)> complained)
      : command_(std::move(command)),
        seconds_(seconds),
        max_restarts_(max_restarts),
        on_standard_error_(std::move(complained)) {}
  ~Program() {
    stop();
    if (on_standard_error_ && !standard_error_.empty()) on_standard_error_(standard_error_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CandidateOutput query(const StoredCase& stored) {
    const std::string& path = stored.description.path;
    const std::string line = request_line(stored);
    if (auto reason = candidate::decline_reason(line, path)) {
      CandidateOutput declined;
      declined.reason = std::move(*reason);
      return declined;
    }
    if (const auto error = candidate::error_of(line, path))
      throw FileError(
          fmt::format("the candidate reports an error{}{}", error->empty() ? "" : ": ", *error));
    try {
      return candidate::parse_output_line(line, path);
    } catch (const FileError&) {
      stop();
      throw;
    }
  }

 private:
  std::string request_line(const StoredCase& stored) {
    if (given_up())
      throw FileError(fmt::format(
          "the candidate was started {} times in a row without an answer; it is not asked again",
          silent_starts_ + crashed_));
    const bool is_new_process = !process_;
    try {
      if (is_new_process) process_ = std::make_unique<candidate::CandidateProcess>(command_);
      std::string line = process_->query(candidate::to_line(stored.description.c), seconds_,
                                         max_output_bytes(stored));
      silent_starts_ = crashed_ = 0;
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
      if (is_new_process) ++(process_->crashed() ? crashed_ : silent_starts_);
      stop();
      throw;
    }
  }

  /// A crash is attributed to the case, so the next cases are still tried. A program that does
  /// nothing but crash is given up eventually, because each start may take seconds.
  bool given_up() const {
    constexpr int kCrashFactor = 8;
    return silent_starts_ >= max_restarts_ ||
           crashed_ >= kCrashFactor * max_restarts_ + answered_count_;
  }

  void stop() {
    if (!process_) return;
    constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 10;
    standard_error_ += process_->complaints();
    if (standard_error_.size() > kMaxErrorBytes)
      standard_error_.erase(0, standard_error_.size() - kMaxErrorBytes);
    process_.reset();
  }

  std::string command_;
  double seconds_;
  int max_restarts_;
  std::function<void(const std::string&)> on_standard_error_;
  std::unique_ptr<candidate::CandidateProcess> process_;
  std::string standard_error_;
  int silent_starts_ = 0, crashed_ = 0;  ///< consecutive processes that printed no line at all
  int answered_count_ = 0;
};

}  // namespace

void check_outputs_known(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs) {
  std::set<std::string> known;
  for (const CaseDescription& description : cases)
    known.insert(description.outputs.begin(), description.outputs.end());
  for (const std::string& name : outputs)
    if (!known.contains(name))
      throw ref::numeric::UsageError(
          ref::numeric::unknown_name("output", name, {known.begin(), known.end()}));
}

CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options) {
  return check_and_diagnose(stored, answer, options,
                            tolerance_for_options(stored.description.c, options));
}

CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds) {
  try {
    CaseResult result = check_case(stored, answer, options, bounds);
    if (!result.passed()) result.diagnosis = diagnose(stored, answer, result);
    return result;
  } catch (const ref::numeric::ContractError& error) {  // an int64 that no double can hold
    return {stored.description, sentence(error.violation()), {}, {}};
  }
}

Candidate from_folder(const fs::path& folder) {
  return [folder](const StoredCase& stored) -> CandidateOutput {
    const fs::path place = folder / stored.description.path;
    std::error_code ignored;
    const fs::path archive = place / "expected.npz";
    return ref::io::read_tensors(
        fs::exists(archive, ignored) ? archive : place / "expected.safetensors",
        max_output_bytes(stored));
  };
}

Candidate from_program(const std::string& command, double seconds, int max_restarts,
                       std::function<void(const std::string&)> complained) {
  const auto program =
      std::make_shared<Program>(command, seconds, max_restarts, std::move(complained));
  return [program](const StoredCase& stored) { return program->query(stored); };
}

std::vector<CaseResult> check_cases(const fs::path& golden,
                                    const std::vector<CaseDescription>& cases,
                                    const Candidate& query, const CheckOptions& options, int jobs,
                                    const std::function<void(std::size_t done)>& finished) {
  check_outputs_known(cases, options.outputs);
  std::vector<CaseResult> results(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  for_each(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = read_case(golden, cases[i]);
    try {
      const CandidateOutput answer = query(stored);
      results[i] = answer ? check_and_diagnose(stored, *answer, options)
                          : CaseResult{stored.description, answer.reason, {}, {}, true};
    } catch (const FileError& error) {
      results[i] = {stored.description, error.what(), {}, {}};
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (finished) finished(done);
  });
  return results;
}

}  // namespace normproof::verification::golden::gate
