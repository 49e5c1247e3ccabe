#pragma once

#include <string>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::bindings::c {

/// Returns the largest ratio of error to bound over all elements of all outputs. It is infinite if
/// an output was not compared.
double largest_ratio(const golden::gate::CaseResult& result);

/// Returns the verdict in one sentence. For a failed case it lists each output that fails, followed
/// by the diagnosis. For a passed case it names the element with the largest ratio of error to
/// bound.
std::string verdict_sentence(const golden::gate::CaseResult& result);

}  // namespace normproof::verification::bindings::c
