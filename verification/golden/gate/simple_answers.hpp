#pragma once

#include <vector>

#include "verification/golden/gate/failing_outputs.hpp"

namespace normproof::verification::golden::gate {

/// Names outputs that no formula is needed to recognize. In this order: every element is 0, every
/// element is NaN, an input is returned, every element is the same number, every row is the same
/// although the exact rows differ.
///
/// Computes  at most one diagnosis for each output; outputs with the same name for their values
///           share one. The kind is Diagnosis::Kind::answer
std::vector<Diagnosis> name_simple_answers(const Case& c,
                                           const std::vector<FailingOutput>& failing);

}  // namespace normproof::verification::golden::gate
