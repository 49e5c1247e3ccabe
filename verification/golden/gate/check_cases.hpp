#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/refuted_mutations.hpp"

namespace normproof::verification::golden::gate {

using candidate::Candidate;
using candidate::CandidateOutput;

/// Reads each case, runs the candidate on it and checks the outputs. The outputs of a case that
/// fails, and its error bounds, are kept for the diagnosis, which follows in ascending order of the
/// cases of each operation.
/// Requires  `candidate` may be called from several threads at once, or jobs is 1; each name in
///           options.outputs is an expected output of at least one case
/// Throws    UsageError if no case expects one of options.outputs, or has options.formula,
///           options.cast_order, options.loss_dtype or options.scale_rounding; FileError if the
///           corpus itself is damaged
std::vector<CaseResult> check_cases(const std::filesystem::path& golden,
                                    const std::vector<CaseDescription>& cases,
                                    const Candidate& candidate, const CheckOptions& options,
                                    int jobs,
                                    const std::function<void(std::size_t done)>& finished);

/// Runs check_case and, if the case fails and options.skip_diagnosis is not set, diagnose. If an
/// int64 value cannot be represented as a double, the case fails.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options);
/// Overload that takes the error bounds of the case instead of deriving them, and the cases that
/// were checked before.
CaseResult check_and_diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                              const CheckOptions& options, const tolerance::Tolerance& bounds,
                              const EarlierCases& earlier = {});

/// Returns the cases of the same operation that were checked before the case with this number.
EarlierCases earlier_cases(SearchHistory& history, const Case& c, std::size_t case_number);

/// Checks that each name in `outputs` is an expected output of at least one case.
/// Throws    UsageError with the nearest known name
void check_outputs_exist(const std::vector<CaseDescription>& cases,
                         const std::vector<std::string>& outputs);

/// Checks that options.formula, options.cast_order, options.loss_dtype and options.scale_rounding
/// exist for the operation of at least one case.
/// Throws    UsageError that names the option, the operations, and what was expected
void check_options_exist(const std::vector<CaseDescription>& cases, const CheckOptions& options);

}  // namespace normproof::verification::golden::gate
