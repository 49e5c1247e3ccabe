#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the inputs of each step of a case, converted to double. 8-bit inputs are multiplied by
/// their scales. Error messages name `file`.
checks::evaluation::EvalInputs inputs_of(const corpus::Case& c, std::string_view file);

/// Overload whose error messages name the path of the case.
checks::evaluation::EvalInputs inputs_of(const corpus::Case& c);

}  // namespace normproof::verification::golden::recipes
