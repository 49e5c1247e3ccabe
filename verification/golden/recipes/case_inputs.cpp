#include "verification/golden/recipes/case_inputs.hpp"

#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::recipes {

checks::evaluation::EvalInputs inputs_of(const corpus::Case& c, std::string_view file) {
  const corpus::Case real = corpus::dequantized(c);
  return checks::evaluation::operation_inputs(file, real.inputs, c.options, c.mode, c.sequence);
}

checks::evaluation::EvalInputs inputs_of(const corpus::Case& c) {
  return inputs_of(c, path_of(c));
}

}  // namespace normproof::verification::golden::recipes
