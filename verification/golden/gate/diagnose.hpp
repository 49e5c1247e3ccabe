#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// Finds known wrong implementations that give the same output: each mutation (mutation.hpp) that
/// agrees with a failing output, ordered by the number of outputs explained, then by distance.
///
/// Computes  the three closest mutations. If there is none: an arithmetic of lower precision or a
///           less accurate formula whose bound the output meets; if there is none of these either,
///           where the errors lie
/// Requires  the answer contains each output of result.tensors that failed without a problem
std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result);

}  // namespace normproof::verification::golden::gate
