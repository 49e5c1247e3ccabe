#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/refuted_mutations.hpp"

namespace normproof::verification::golden::gate {

/// Explains why outputs of a case failed. The explanations are tried in this order:
/// 1. a simple answer: zeros, NaN, an input that is returned, or a constant
/// 2. the usual arithmetic of the dtype, if the candidate declared a finer one
/// 3. up to three known mistakes that give the same values (mutation.hpp); those that explain more
///    outputs come first, and of several that explain equally many the closest
/// 4. an arithmetic that flushes subnormal numbers, a less accurate formula of a norm, or sums in a
///    coarser format, if its error bound contains the outputs and is not much larger than the
///    error; sums only if every known mistake was tried
/// 5. a description of which elements are wrong
///
/// Computes  the same explanations on every machine. The search for a mistake ends at a limit that
///           grows with the number of elements (search_work_limit)
/// Requires  `answer` contains each output of result.tensors that was compared and failed;
///           `options` are those of the check
std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result, const CheckOptions& options = {},
                                const EarlierCases& earlier = {});
/// Overload that takes the error bounds of the case in its usual arithmetic instead of deriving
/// them. Mistakes that earlier cases of the same candidate refute are not tried again.
std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result, const CheckOptions& options,
                                const tolerance::Tolerance& bounds,
                                const EarlierCases& earlier = {});

}  // namespace normproof::verification::golden::gate
