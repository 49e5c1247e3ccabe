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

/// The most that an answer to a case may be long, as a line or as a file: twice what the longest
/// number takes of every element and of its remainder, and room for names and sentences.
std::size_t most_bytes_of(const StoredCase& stored) {
  constexpr std::size_t kANumber = 64, kTheRest = std::size_t{64} << 10;
  std::size_t bytes = kTheRest;
  for (const StoredTensor& tensor : stored.expected)
    bytes += kANumber * (tensor.bytes.size() / ref::io::item_size(tensor.dtype));
  return bytes;
}

/// A program that is asked one question after the other, and started again where it ended.
class Program {
 public:
  Program(std::string command, double seconds, int most_starts,
          std::function<void(const std::string&)> complained)
      : command_(std::move(command)),
        seconds_(seconds),
        most_starts_(most_starts),
        complained_(std::move(complained)) {}
  ~Program() {
    stop();
    if (complained_ && !complaints_.empty()) complained_(complaints_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Answer ask(const StoredCase& stored) {
    const std::string& path = stored.description.path;
    const std::string line = line_about(stored);
    if (auto reason = candidate::declined_because(line, path)) {
      Answer declined;
      declined.reason = std::move(*reason);
      return declined;
    }
    if (const auto error = candidate::error_of(line, path))
      throw FileError(
          fmt::format("the candidate reports an error{}{}", error->empty() ? "" : ": ", *error));
    try {
      return candidate::parse_answer(line, path);
    } catch (const FileError&) {
      stop();
      throw;
    }
  }

 private:
  std::string line_about(const StoredCase& stored) {
    if (given_up())
      throw FileError(fmt::format(
          "the candidate was started {} times in a row without an answer; it is not asked again",
          silent_ + crashed_));
    const bool fresh = !process_;
    try {
      if (fresh) process_ = std::make_unique<candidate::CandidateProcess>(command_);
      std::string line =
          process_->ask(candidate::to_line(stored.description.c), seconds_, most_bytes_of(stored));
      silent_ = crashed_ = 0;
      ++answered_;
      return line;
    } catch (const FileError& error) {
      if (fresh && answered_ == 0 && process_->not_run()) {
        process_.reset();
        throw ref::numeric::UsageError(
            fmt::format("the command is not run: {}; expected one that reads a line a case and "
                        "prints its answer",
                        error.what()));
      }
      if (fresh) ++(process_->crashed() ? crashed_ : silent_);
      stop();
      throw;
    }
  }

  /// A crash is the case's own, as far as one can tell: the cases behind it are asked still. One
  /// that answers nothing else is given up in the end, for a start may take seconds.
  bool given_up() const {
    constexpr int kCrashes = 8;
    return silent_ >= most_starts_ || crashed_ >= kCrashes * most_starts_ + answered_;
  }

  void stop() {
    if (!process_) return;
    constexpr std::size_t kMost = std::size_t{64} << 10;
    complaints_ += process_->complaints();
    if (complaints_.size() > kMost) complaints_.erase(0, complaints_.size() - kMost);
    process_.reset();
  }

  std::string command_;
  double seconds_;
  int most_starts_;
  std::function<void(const std::string&)> complained_;
  std::unique_ptr<candidate::CandidateProcess> process_;
  std::string complaints_;
  int silent_ = 0, crashed_ = 0;  ///< processes in a row that gave no line at all
  int answered_ = 0;
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
                            asked_tolerance(stored.description.c, options));
}

CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds) {
  try {
    CaseResult result = check_case(stored, answer, options, bounds);
    if (!result.passed()) result.diagnosis = diagnose(stored, answer, result);
    return result;
  } catch (const ref::numeric::ContractError& error) {  // an int64 that no double holds
    return {stored.description, sentence(error.breach()), {}, {}};
  }
}

Ask from_folder(const fs::path& folder) {
  return [folder](const StoredCase& stored) -> Answer {
    const fs::path place = folder / stored.description.path;
    std::error_code ignored;
    const fs::path archive = place / "expected.npz";
    return ref::io::read_tensors(
        fs::exists(archive, ignored) ? archive : place / "expected.safetensors",
        most_bytes_of(stored));
  };
}

Ask from_program(const std::string& command, double seconds, int most_starts,
                 std::function<void(const std::string&)> complained) {
  const auto program =
      std::make_shared<Program>(command, seconds, most_starts, std::move(complained));
  return [program](const StoredCase& stored) { return program->ask(stored); };
}

std::vector<CaseResult> check_cases(const fs::path& golden,
                                    const std::vector<CaseDescription>& cases, const Ask& ask,
                                    const CheckOptions& options, int jobs,
                                    const std::function<void(std::size_t done)>& finished) {
  check_outputs_known(cases, options.outputs);
  std::vector<CaseResult> results(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  for_each(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = read_case(golden, cases[i]);
    try {
      const Answer answer = ask(stored);
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
