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

StoredTensor group_size(std::string name, std::ptrdiff_t group) {
  return ref::io::make_tensor(std::move(name), DType::int64, {1},
                              std::vector{static_cast<double>(group)});
}

void store_with_one_scale(Case& c, const std::string& name, DType dtype, double scale) {
  StoredTensor own = one_scale(name, scale);
  StoredTensor& tensor = *std::ranges::find(c.inputs, name, &StoredTensor::name);
  const std::size_t count = ref::io::widen(tensor).size();
  store(tensor, dtype, std::vector<double>(count, ref::io::widen(own)[0]));
  c.inputs.push_back(std::move(own));
}

/// Returns the largest magnitude of each block of a tensor.
std::vector<double> largest_of_blocks(const std::vector<double>& values,
                                      const corpus::ScaleBlocks& blocks) {
  std::vector<double> largest(blocks.count(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& own = largest[blocks.index(i)];
    own = std::max(own, std::fabs(values[i]));
  }
  return largest;
}

/// Stores a tensor with one scale of e4m3 per block of 16, times the scale of the tensor.
void store_with_two_scales(Case& c, const std::string& name, DType dtype, double of_tensor) {
  StoredTensor& tensor = *std::ranges::find(c.inputs, name, &StoredTensor::name);
  StoredTensor whole = one_number(corpus::tensor_scale_name(name), of_tensor);
  const double factor = ref::io::widen(whole)[0];
  const std::vector<double> values = ref::io::widen(tensor);
  const corpus::ScaleBlocks blocks(tensor.shape, corpus::kBlockOfTwoScales);
  std::vector<double> own = largest_of_blocks(values, blocks);
  for (double& v : own) v = corpus::find_tensor_block_scale(v, factor, row_of(dtype));
  std::vector<double> scales(values.size());
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = own[blocks.index(i)] * factor;
  store(tensor, dtype, scales);
  c.inputs.push_back(
      ref::io::make_tensor(scale_name(name), DType::float8_e4m3fn, blocks.shape_of_scales(), own));
  c.inputs.push_back(std::move(whole));
}

/// Stores a tensor with one scale per block, by Algorithm 1 of [RZM+23], or, if `group` is not 0,
/// with one float32 scale per group.
void store_with_scales(Case& c, const std::string& name, DType dtype, std::ptrdiff_t group) {
  StoredTensor& tensor = *std::ranges::find(c.inputs, name, &StoredTensor::name);
  const std::vector<double> values = ref::io::widen(tensor);
  const corpus::ScaleBlocks blocks =
      group == 0 ? corpus::ScaleBlocks(tensor.shape) : corpus::ScaleBlocks(tensor.shape, group);
  std::vector<double> largest = largest_of_blocks(values, blocks);
  const FloatFormat& format = row_of(dtype);
  for (double& v : largest)
    v = group == 0 ? ref::numeric::exact_power_of_two(
                         corpus::block_scale_exponent(v > 0 ? std::ilogb(v) : -2000, format))
                   : ref::numeric::round_to(FloatType::float32, v > 0 ? v / format.largest : 1);
  std::vector<double> scales(values.size());
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = largest[blocks.index(i)];
  store(tensor, dtype, scales);
  c.inputs.push_back(ref::io::make_tensor(scale_name(name),
                                          group == 0 ? DType::float8_e8m0fnu : DType::float32,
                                          blocks.shape_of_scales(), largest));
  if (group != 0) c.inputs.push_back(group_size(scale_name(name) + "_group", group));
}

}  // namespace

Fill fill_varying_by_block(std::size_t d_model, std::size_t block) {
  return [=](std::size_t i, double normal) {
    const std::size_t step = (i % d_model / block * 3 + i / d_model) % 5;
    return std::ldexp(normal, static_cast<int>(step) - 2);
  };
}

Case convert_to_8_bits(Case c, const EightBitScales& scales) {
  if (!scales.x_dtype) c.dtype = scales.dtype;
  const DType of_x = scales.x_dtype.value_or(scales.dtype);
  for (const std::string& name : {std::string("x"), std::string("gate")}) {
    if (corpus::find(c.inputs, name) == nullptr) continue;
    if (scales.x_tensor)
      store_with_two_scales(c, name, of_x, *scales.x_tensor);
    else if (scales.blocks || scales.x_group != 0)
      store_with_scales(c, name, of_x, scales.x_group);
    else if (scales.x)
      store_with_one_scale(c, name, of_x, *scales.x);
    if (scales.gradients) c.inputs.push_back(one_scale("grad_" + name, *scales.gradients));
  }
  if (scales.grad_y) store_with_one_scale(c, "grad_y", DType::float8_e5m2, *scales.grad_y);
  if (scales.y) c.inputs.push_back(one_scale("y", *scales.y));
  if (scales.y_tensor)
    c.inputs.push_back(one_number(corpus::tensor_scale_name("y"), *scales.y_tensor));
  if (scales.group != 0) c.inputs.push_back(group_size(corpus::kGroupOfY, scales.group));
  if (scales.powers_of_two)
    c.inputs.push_back(
        ref::io::make_tensor(corpus::kPowersOfTwoOfY, DType::boolean, {1}, std::vector{1.0}));
  if (scales.upper) c.inputs.push_back(one_number(corpus::kUpperBoundOfY, *scales.upper));
  if (scales.least) c.inputs.push_back(one_number(corpus::kMinScaleOfY, *scales.least));
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

}  // namespace normproof::verification::golden::recipes
