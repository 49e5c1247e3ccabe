#pragma once

#include <string>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::bindings::c {

/// The largest share of its bound that an element reached; infinite where something was not
/// compared.
double ratio_of(const golden::gate::CaseResult& result);

/// What fails, output by output, then the diagnosis; of what passes, the worst element.
std::string sentence_of(const golden::gate::CaseResult& result);

}  // namespace normproof::verification::bindings::c
