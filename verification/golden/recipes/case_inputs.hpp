#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// The inputs of each step of a case, widened to double, and those of 8 bits times their scales;
/// `file` is what an error names.
checks::evaluation::EvalInputs inputs_of(const corpus::Case& c, std::string_view file);

/// The inputs of a case by its path.
checks::evaluation::EvalInputs inputs_of(const corpus::Case& c);

}  // namespace normproof::verification::golden::recipes
