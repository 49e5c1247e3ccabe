#pragma once

#include <vector>

#include "verification/golden/gate/check.hpp"

/// Explanations of a failure by the size of its error: a less precise arithmetic or a less accurate
/// formula whose error bound contains every failing output. Such an explanation does not prove that
/// the candidate computes so. It is given only if the largest error is at least a hundredth of that
/// bound, because any error is within a bound that is large enough.
namespace normproof::verification::golden::gate {

/// Explains outputs that pass in the usual arithmetic of the dtype, if `options` declare another
/// one: the candidate declared a finer format than it uses.
std::vector<Diagnosis> diagnose_usual_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result,
                                                const CheckOptions& options);

/// Explains outputs of a norm by the folded form x r - m r, or by a one-pass variance.
std::vector<Diagnosis> diagnose_less_accurate_formulas(const StoredCase& stored,
                                                       const std::vector<StoredTensor>& answer,
                                                       const CaseResult& result);

/// Explains outputs by sums in a coarser format, if their errors are of the size that such sums
/// have in the plain implementation, and no output is right that such sums would have spoiled.
/// Operations without sums have no such explanation.
std::vector<Diagnosis> diagnose_lower_precision(const StoredCase& stored,
                                                const std::vector<StoredTensor>& answer,
                                                const CaseResult& result);

}  // namespace normproof::verification::golden::gate
