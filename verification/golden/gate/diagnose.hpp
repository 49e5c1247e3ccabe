#pragma once

#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// Searches for known wrong implementations that give the same output as the candidate. The wrong
/// implementations are the mutations of mutation.hpp. Mutations that explain more outputs come
/// first. If several explain equally many, the closest comes first.
///
/// Computes  up to three mutations that agree with failing outputs. If no mutation agrees, computes
///           a less precise arithmetic or a less accurate formula whose error bound contains the
///           output. If there is no such explanation either, computes a description of which
///           elements are wrong
/// Requires  `answer` contains each output of result.tensors that was compared and failed
std::vector<Diagnosis> diagnose(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                const CaseResult& result);

}  // namespace normproof::verification::golden::gate
