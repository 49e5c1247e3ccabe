#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

using candidate::Candidate;
using candidate::CandidateOutput;

/// Reads each case, obtains the candidate's output for it and checks that output.
/// Requires  jobs is 1 unless `candidate` can be called concurrently; each of options.outputs is expected
///           in at least one of the cases
/// Throws    UsageError if an output is expected in none; FileError if the corpus itself is damaged
std::vector<CaseResult> check_cases(const std::filesystem::path& golden,
                                    const std::vector<CaseDescription>& cases,
                                    const Candidate& candidate, const CheckOptions& options,
                                    int jobs,
                                    const std::function<void(std::size_t done)>& finished);

/// Runs check_case, and diagnose if the case fails. An int64 that no double can hold fails the
/// case.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options);
/// Overload for a tolerance that is already computed.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds);

/// Requires  each of the outputs is expected in at least one of the cases
/// Throws    UsageError with the nearest known name
void check_outputs_known(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs);

}  // namespace normproof::verification::golden::gate
