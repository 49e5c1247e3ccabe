#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::recipes {

evaluation::EvalInputs inputs_of(const corpus::Case& c, std::string_view file) {
  return evaluation::operation_inputs(file, c.inputs, c.options, c.mode, c.sequence);
}

evaluation::EvalInputs inputs_of(const corpus::Case& c) {
  return inputs_of(c, path_of(c));
}

}  // namespace normproof::verification::golden::recipes
