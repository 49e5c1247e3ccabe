#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <set>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/for_each.hpp"
#include "verification/golden/gate/candidate_process.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/diagnose.hpp"
#include "verification/golden/gate/pipe_text.hpp"

namespace normproof::verification::golden::gate {

using certify::for_each;
using certify::read_case;

namespace fs = std::filesystem;
using ref::numeric::FileError;

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
  try {
    CaseResult result = check_case(stored, answer, options);
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
    return ref::io::read_tensors(fs::exists(archive, ignored) ? archive
                                                              : place / "expected.safetensors");
  };
}

Ask from_program(const std::string& command, double seconds, int most_starts) {
  struct Program {
    std::unique_ptr<CandidateProcess> process;
    int silent = 0;  ///< processes in a row that gave no line at all
  };
  return [command, seconds, most_starts,
          program = std::make_shared<Program>()](const StoredCase& stored) -> Answer {
    if (program->silent == most_starts)
      throw FileError(fmt::format(
          "the candidate was started {} times in a row without an answer; it is not asked again",
          most_starts));
    try {
      if (!program->process) {
        ++program->silent;
        program->process = std::make_unique<CandidateProcess>(command);
      }
      const std::string line = program->process->ask(to_line(stored.description.c), seconds);
      program->silent = 0;
      if (is_declined(line, stored.description.path)) return std::nullopt;
      return parse_answer(line, stored.description.path);
    } catch (const FileError&) {
      program->process.reset();
      throw;
    }
  };
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
                          : CaseResult{stored.description, {}, {}, {}, true};
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
