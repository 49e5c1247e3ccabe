#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden {

using certify::replace_not_finite;
using certify::StoredCase;
using corpus::Accumulation;
using corpus::Case;
using corpus::case_folder;
using corpus::find;
using corpus::Tier;
using recipes::inputs_of;
using recipes::Recipe;
using ref::io::DType;
using ref::io::StoredTensor;

inline constexpr double kGoldenNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kGoldenInfinity = std::numeric_limits<double>::infinity();
inline constexpr Accumulation kAllAccumulations[] = {Accumulation::float64, Accumulation::float32,
                                                     Accumulation::float16, Accumulation::bfloat16};

inline StoredTensor make_stored_tensor(const std::string& name, DType dtype,
                                       std::vector<std::size_t> shape,
                                       const std::vector<double>& values) {
  return ref::io::make_tensor(name, dtype, std::move(shape), values);
}

/// Returns the recipe of an operation with random inputs.
inline Recipe plain_recipe(const std::string& layer, std::vector<std::size_t> shape,
                           DType dtype = DType::float64) {
  return Recipe(Tier::quick, layer, "sample", std::move(shape), dtype).why("a test's own");
}

/// Returns the case of LayerNorm for the row (1, 3), whose mean is 2 and whose variance is 1.
inline Case layer_norm_case_of_one_and_three(const std::string& eps, DType dtype = DType::float64) {
  return plain_recipe("layer_norm", {1, 2}, dtype)
      .option("eps", eps)
      .x([](std::size_t i, double) { return i == 0 ? 1.0 : 3.0; })
      .grad_y([](std::size_t i, double) { return i == 0 ? 1.0 : 0.0; })
      .no_affine()
      .make(1);
}

/// Returns the values of the tensor with this name, or an empty vector if there is none.
inline std::vector<double> find_tensor_values(const std::vector<StoredTensor>& tensors,
                                              std::string_view name) {
  const StoredTensor* const tensor = find(tensors, name);
  return tensor == nullptr ? std::vector<double>() : ref::io::widen(*tensor);
}

inline StoredCase certified(const Case& c) {
  StoredCase stored = certify::certify_case(c);
  for (const StoredTensor& tensor : stored.expected)
    if (!tensor.name.ends_with("_lo")) stored.description.outputs.push_back(tensor.name);
  return stored;
}

inline double round_to_dtype(DType dtype, double value) {
  return dtype == DType::int64 ? value : ref::numeric::round_to(*ref::io::float_type(dtype), value);
}

/// Returns the number that each element of an output is divided by when it is stored. It is 1,
/// except for 8-bit outputs with scales. For scales of blocks or groups, it is the certified scale
/// of the element's block.
inline std::vector<double> find_output_scales(const StoredCase& stored,
                                              const StoredTensor& output) {
  const Case& c = stored.description.c;
  std::vector<double> scales(ref::io::widen(output).size(), 1);
  const std::string name = corpus::scale_name(output.name);
  const corpus::OutputScaling scaling = corpus::output_scaling(c, output.name);
  if (scaling == corpus::OutputScaling::given)
    std::ranges::fill(scales, ref::io::widen(*find(c.inputs, name))[0]);
  if (corpus::has_found_scales(scaling)) {
    const std::vector<double> blocks = ref::io::widen(*find(stored.expected, name));
    const corpus::ScaleBlocks layout = corpus::scale_blocks_of_y(c, output.shape);
    const double of_tensor = corpus::tensor_scale(c, output.name);
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = blocks[layout.index(i)] * of_tensor;
  }
  return scales;
}

/// Replaces a value out of the range of an 8-bit dtype by the dtype's largest number with the same
/// sign.
inline double saturate_to_range(DType dtype, double value) {
  if (!ref::io::is_float(dtype) || ref::io::item_size(dtype) != 1) return value;
  const double largest = ref::numeric::float_format_info(*ref::io::float_type(dtype)).largest;
  return std::clamp(value, -largest, largest);
}

/// Returns the outputs of a correct candidate: the reference in `double`, rounded once to the
/// dtypes of the case. The reference accepts no infinity or NaN. Elements that are not finite
/// are taken from the case's expected values.
inline std::vector<StoredTensor> reference_output(const StoredCase& stored) {
  const Case& c = stored.description.c;
  checks::evaluation::EvalInputs inputs = inputs_of(corpus::dequantize_inputs(c), case_folder(c));
  replace_not_finite(inputs, c, certify::kReplacements);
  std::vector<StoredTensor> answer;
  for (const auto& [name, results] :
       checks::evaluation::run_operation<double>(c.options, inputs, c.sequence)) {
    const StoredTensor& expected = *find(stored.expected, name);
    const std::vector<double> wanted = ref::io::widen(expected);
    const std::vector<double> scales = find_output_scales(stored, expected);
    std::vector<double> values(wanted.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          !std::isfinite(wanted[i])
              ? wanted[i]
              : round_to_dtype(expected.dtype,
                               saturate_to_range(expected.dtype, results.data()[i] / scales[i]));
    answer.push_back(make_stored_tensor(name, expected.dtype, expected.shape, values));
  }
  if (find(stored.expected, "y_scale") != nullptr)
    answer.push_back(*find(stored.expected, "y_scale"));
  std::ranges::sort(answer, {}, &StoredTensor::name);
  return answer;
}

/// Returns the tensors with one element of the tensor `name` changed to `value`.
inline std::vector<StoredTensor> replace_element(std::vector<StoredTensor> tensors,
                                                 std::string_view name, std::size_t index,
                                                 double value) {
  for (StoredTensor& tensor : tensors) {
    if (tensor.name != name) continue;
    std::vector<double> values = ref::io::widen(tensor);
    values.at(index) = value;
    tensor = make_stored_tensor(tensor.name, tensor.dtype, tensor.shape, values);
  }
  return tensors;
}

/// Returns the message of the FileError that f throws.
template <class F>
std::string file_error_message(F&& f) {
  return ref::numeric::error_message<ref::numeric::FileError>(f);
}
template <class F>
std::string usage_error_message(F&& f) {
  return ref::numeric::error_message<ref::numeric::UsageError>(f);
}

}  // namespace normproof::verification::golden
