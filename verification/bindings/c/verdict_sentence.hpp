#pragma once

#include <string>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::bindings::c {

/// Returns the largest ratio of error to bound of any element; infinite if some output was not
/// compared.
double largest_ratio(const golden::gate::CaseResult& result);

/// Returns the verdict in one sentence: for a failed case each output that fails and then the
/// diagnosis, for a passed one the worst element.
std::string verdict_sentence(const golden::gate::CaseResult& result);

}  // namespace normproof::verification::bindings::c
