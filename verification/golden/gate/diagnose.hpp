#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// Known wrong implementations that answer the same: each mutation of every site (mutation.hpp)
/// that agrees with a failing output, those that agree with most of them first.
///
/// Computes  the three closest; where there is none, the arithmetic of lower precision whose bound
///           the answer meets, if there is one
/// Requires  outputs of result.tensors that failed and have no problem are in the answer
std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result);

}  // namespace normproof::verification::golden::gate
