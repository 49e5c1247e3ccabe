#include "verification/golden/recipes/scaled_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::scale_name;
using corpus::StoredTensor;
using ref::numeric::FloatFormat;
using ref::numeric::FloatType;

namespace {

const FloatFormat& row_of(DType dtype) {
  return ref::numeric::float_format_info(*ref::io::float_type(dtype));
}

StoredTensor one_number(std::string name, double value) {
  return ref::io::make_tensor(std::move(name), DType::float32, {1},
                              std::vector{ref::numeric::round_to(FloatType::float32, value)});
}

StoredTensor one_scale(std::string_view tensor, double scale) {
  return one_number(scale_name(tensor), scale);
}

/// Divides the elements of a tensor by their scales and rounds the quotients to the dtype.
void store(StoredTensor& tensor, DType dtype, const std::vector<double>& scales) {
  std::vector<double> values = ref::io::widen(tensor);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = round_to(row_of(dtype), values[i] / scales[i], ref::numeric::Overflow::saturate);
  tensor = ref::io::make_tensor(tensor.name, dtype, tensor.shape, values);
}

void store_with_one_scale(Case& c, const std::string& name, DType dtype, double scale) {
  StoredTensor own = one_scale(name, scale);
  StoredTensor& tensor = *std::ranges::find(c.inputs, name, &StoredTensor::name);
  const std::size_t count = ref::io::widen(tensor).size();
  store(tensor, dtype, std::vector<double>(count, ref::io::widen(own)[0]));
  c.inputs.push_back(std::move(own));
}

/// Stores a tensor with one scale per block, by Algorithm 1 of [RZM+23].
void store_with_block_scales(Case& c, const std::string& name, DType dtype) {
  StoredTensor& tensor = *std::ranges::find(c.inputs, name, &StoredTensor::name);
  const std::vector<double> values = ref::io::widen(tensor);
  const std::size_t d_model = tensor.shape.back();
  std::vector<double> largest(corpus::block_index(values.size() - 1, d_model) + 1, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& own = largest[corpus::block_index(i, d_model)];
    own = std::max(own, std::fabs(values[i]));
  }
  for (double& v : largest)
    v = ref::numeric::exact_power_of_two(
        corpus::block_scale_exponent(v > 0 ? std::ilogb(v) : -2000, row_of(dtype)));
  std::vector<double> scales(values.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = largest[corpus::block_index(i, d_model)];
  store(tensor, dtype, scales);
  c.inputs.push_back(ref::io::make_tensor(scale_name(name), DType::float8_e8m0fnu,
                                          corpus::block_scales_shape(tensor.shape), largest));
}

}  // namespace

Case convert_to_8_bits(Case c, const EightBitScales& scales) {
  c.dtype = scales.dtype;
  for (const std::string& name : {std::string("x"), std::string("gate")}) {
    if (corpus::find(c.inputs, name) == nullptr) continue;
    if (scales.blocks)
      store_with_block_scales(c, name, c.dtype);
    else if (scales.x)
      store_with_one_scale(c, name, c.dtype, *scales.x);
    if (scales.gradients) c.inputs.push_back(one_scale("grad_" + name, *scales.gradients));
  }
  if (scales.grad_y) store_with_one_scale(c, "grad_y", DType::float8_e5m2, *scales.grad_y);
  if (scales.y) c.inputs.push_back(one_scale("y", *scales.y));
  if (scales.group > 0)
    c.inputs.push_back(ref::io::make_tensor(corpus::kGroupOfY, DType::int64, {1},
                                            std::vector{static_cast<double>(scales.group)}));
  if (scales.upper) c.inputs.push_back(one_number(corpus::kUpperBoundOfY, *scales.upper));
  if (scales.least) c.inputs.push_back(one_number(corpus::kMinScaleOfY, *scales.least));
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

}  // namespace normproof::verification::golden::recipes
