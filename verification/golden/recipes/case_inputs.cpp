#include "verification/golden/recipes/case_inputs.hpp"

#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::recipes {

using checks::evaluation::TensorReader;

checks::evaluation::EvalInputs inputs_of(const corpus::Case& c, std::string_view file) {
  const auto scales = [&c](const ref::io::StoredTensor& input) {
    // 1-byte scales and inputs of other dtypes have no scales themselves.
    return corpus::has_scales(input) ? corpus::scales_of(c, input) : std::vector<double>{};
  };
  const TensorReader reader(file, c.inputs,
                            corpus::is_scaled(c) ? TensorReader::Scales(scales) : nullptr);
  return checks::evaluation::operation_inputs(reader, c.options, c.mode, c.sequence);
}

checks::evaluation::EvalInputs inputs_of(const corpus::Case& c) {
  return inputs_of(c, case_folder(c));
}

}  // namespace normproof::verification::golden::recipes
