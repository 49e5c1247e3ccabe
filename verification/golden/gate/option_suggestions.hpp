#pragma once

#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// Finds an option with which the failing outputs of a case are right: another choice of an option
/// of the operation, such as eps_placement='floor', or cast_order='before_gamma' or
/// scale_rounding='up'. The result has at most one diagnosis. Its kind is Diagnosis::Kind::option.
///
/// Computes  an option of the operation counts only if the whole output passes with it, every
///           element is verified, and the exact values of this case are outside the bounds. Options
///           that the candidate already declares are not suggested. The options of models are not
///           tried
std::vector<Diagnosis> suggest_options(const StoredCase& stored,
                                       const std::vector<StoredTensor>& answer,
                                       const CaseResult& result, const CheckOptions& options);

/// Returns flush_subnormals=True if the failing outputs of a case are right with it. The bounds of
/// tiny numbers are wide then, so that other explanations are to be tried first.
std::vector<Diagnosis> suggest_flushing(const StoredCase& stored,
                                        const std::vector<StoredTensor>& answer,
                                        const CaseResult& result, const CheckOptions& options);

}  // namespace normproof::verification::golden::gate
