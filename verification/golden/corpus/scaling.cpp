#include "verification/golden/corpus/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/scale_rounding.hpp"

namespace normproof::verification::golden::corpus {

namespace {

constexpr int kMaxScaleExponent = 127;  // the largest exponent of float8_e8m0fnu

/// The suffix of the input that gives the scale of all blocks of a tensor.
constexpr std::string_view kTensorScaleSuffix = "_tensor_scale";

/// The suffix of the input that gives the number of elements of an input's groups.
constexpr std::string_view kGroupSuffix = "_scale_group";

std::ptrdiff_t read_size(const StoredTensor& group) {
  return static_cast<std::ptrdiff_t>(ref::io::widen(group).at(0));
}

}  // namespace

bool has_8_bits(DType dtype) {
  return ref::io::is_float(dtype) && ref::io::item_size(dtype) == 1;
}

bool has_scales(const StoredTensor& input) {
  return has_8_bits(input.dtype) && !is_name_of_scale(input.name);
}

bool stores_8_bits(const Case& c) {
  return has_8_bits(c.dtype);
}

bool is_scaled(const Case& c) {
  return stores_8_bits(c) || std::ranges::any_of(c.inputs, has_scales);
}

std::string scale_name(std::string_view tensor) {
  return fmt::format("{}_scale", tensor);
}

OutputScaling output_scaling(const Case& c, std::string_view output) {
  if (!stores_8_bits(c)) return OutputScaling::none;
  if (find(c.inputs, scale_name(output)) != nullptr) return OutputScaling::given;
  if (output != "y") return OutputScaling::none;
  if (find(c.inputs, tensor_scale_name(output)) != nullptr) return OutputScaling::blocks_of_tensor;
  return find(c.inputs, kGroupOfY) != nullptr ? OutputScaling::groups : OutputScaling::blocks;
}

bool has_found_scales(OutputScaling scaling) {
  return has_blocks(scaling) || scaling == OutputScaling::groups;
}

bool has_blocks(OutputScaling scaling) {
  return scaling == OutputScaling::blocks || scaling == OutputScaling::blocks_of_tensor;
}

std::string tensor_scale_name(std::string_view tensor) {
  return fmt::format("{}{}", tensor, kTensorScaleSuffix);
}

double tensor_scale(const Case& c, std::string_view tensor) {
  const StoredTensor* const scale = find(c.inputs, tensor_scale_name(tensor));
  return scale == nullptr ? 1 : ref::io::widen(*scale).at(0);
}

double find_tensor_block_scale(double magnitude, double of_tensor,
                               const ref::numeric::FloatFormat& format) {
  using ref::numeric::FloatType;
  const double quotient = magnitude / format.largest / of_tensor;
  return std::max(round_to(float_format_info(FloatType::float8_e4m3fn), quotient,
                           ref::numeric::Overflow::saturate),
                  kMinScaleOfTensorBlock);
}

ScaleLimits scale_limits(const Case& c) {
  ScaleLimits limits;
  if (const StoredTensor* const upper = find(c.inputs, kUpperBoundOfY))
    limits.upper = ref::io::widen(*upper).at(0);
  if (const StoredTensor* const least = find(c.inputs, kMinScaleOfY))
    limits.least = ref::io::widen(*least).at(0);
  if (const StoredTensor* const powers = find(c.inputs, kPowersOfTwoOfY))
    limits.are_powers_of_two = ref::io::widen(*powers).at(0) != 0;
  return limits;
}

double ScaleLimits::find_scale(double magnitude, const ref::numeric::FloatFormat& format) const {
  const double bounded = std::max(std::min(magnitude, upper), least * format.largest);
  if (are_powers_of_two && bounded > 0)
    return ref::numeric::exact_power_of_two(
        find_scale_exponent(bounded, format, ScaleRounding::up));
  return std::max(std::min(magnitude, upper) / format.largest, least);
}

ScaleBlocks::ScaleBlocks(std::vector<std::size_t> shape, std::ptrdiff_t size)
    : shape_(std::move(shape)), is_whole_(size == kWholeTensor) {
  const std::size_t elements =
      std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
  row_length_ = is_whole_ ? elements : shape_.back();
  rows_ = row_length_ == 0 ? 0 : elements / row_length_;
  size_ = is_whole_ ? elements : static_cast<std::size_t>(size);
}

std::vector<std::size_t> ScaleBlocks::shape_of_scales() const {
  if (is_whole_) return {1};
  std::vector<std::size_t> shape = shape_;
  shape.back() = blocks_per_row();
  return shape;
}

ScaleBlocks scale_blocks_of_y(const Case& c, std::vector<std::size_t> shape) {
  if (find(c.inputs, tensor_scale_name("y")) != nullptr)
    return ScaleBlocks(std::move(shape), kBlockOfTwoScales);
  const StoredTensor* const group = find(c.inputs, kGroupOfY);
  return group == nullptr ? ScaleBlocks(std::move(shape))
                          : ScaleBlocks(std::move(shape), read_size(*group));
}

ScaleBlocks scale_blocks_of_input(const Case& c, const StoredTensor& input) {
  if (find(c.inputs, tensor_scale_name(input.name)) != nullptr)
    return ScaleBlocks(input.shape, kBlockOfTwoScales);
  const StoredTensor* const group = find(c.inputs, fmt::format("{}{}", input.name, kGroupSuffix));
  return group == nullptr ? ScaleBlocks(input.shape) : ScaleBlocks(input.shape, read_size(*group));
}

bool has_one_scale_of_y(const Case& c) {
  return output_scaling(c, "y") == OutputScaling::groups &&
         read_size(*find(c.inputs, kGroupOfY)) == kWholeTensor;
}

DType stored_output_dtype(const Case& c, std::string_view output) {
  if (!is_scaled(c)) return output_dtype(c, output);
  if (output == "y") return c.dtype;
  if (output == "y_scale") {
    const OutputScaling scaling = output_scaling(c, "y");
    return scaling == OutputScaling::groups             ? DType::float32
           : scaling == OutputScaling::blocks_of_tensor ? DType::float8_e4m3fn
                                                        : DType::float8_e8m0fnu;
  }
  return output_scaling(c, output) == OutputScaling::given ? DType::float8_e5m2 : DType::float32;
}

int block_scale_exponent(int of_largest, const ref::numeric::FloatFormat& format) {
  return std::clamp(of_largest - format.max_exponent, -kMaxScaleExponent, kMaxScaleExponent);
}

std::vector<double> scales_of(const Case& c, const StoredTensor& input) {
  const StoredTensor* const scale = find(c.inputs, scale_name(input.name));
  const StoredTensor* const group = find(c.inputs, fmt::format("{}{}", input.name, kGroupSuffix));
  const bool has_tensor_scale = find(c.inputs, tensor_scale_name(input.name)) != nullptr;
  const ScaleBlocks blocks = scale_blocks_of_input(c, input);
  const std::string_view expected = has_tensor_scale   ? "float8_e4m3fn"
                                    : group == nullptr ? "float32 [1], or float8_e8m0fnu"
                                                       : "float32";
  const auto refuse = [&](const std::string& observation) {
    const std::string shape = ref::tensor::to_string(blocks.shape_of_scales());
    ref::numeric::contract_failure(
        "scales_of", fmt::format("{} of {}", scale_name(input.name), case_folder(c)), observation,
        fmt::format("{} {}", expected, shape), ref::numeric::Clause::C1);
  };
  if (scale == nullptr) refuse("is absent");
  const bool one = group == nullptr && !has_tensor_scale && scale->dtype == DType::float32 &&
                   scale->shape == std::vector<std::size_t>{1};
  const DType of_blocks = has_tensor_scale   ? DType::float8_e4m3fn
                          : group == nullptr ? DType::float8_e8m0fnu
                                             : DType::float32;
  const bool in_blocks = scale->dtype == of_blocks && scale->shape == blocks.shape_of_scales();
  if (!one && !in_blocks)
    refuse(fmt::format("is {} {}", ref::io::to_string(scale->dtype),
                       ref::tensor::to_string(scale->shape)));
  const std::vector<double> own = ref::io::widen(*scale);
  // The product with the scale of the tensor has 4 + 24 digits.
  const double of_tensor = tensor_scale(c, input.name);
  std::vector<double> scales(input.bytes.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = (one ? own[0] : own[blocks.index(i)]) * of_tensor;
  return scales;
}

bool rounds_inputs(const Case& c) {
  return is_scaled(c) && std::ranges::any_of(c.inputs, [&](const StoredTensor& input) {
           if (!has_scales(input)) return false;
           const StoredTensor* const scale = find(c.inputs, scale_name(input.name));
           return scale != nullptr && scale->dtype != DType::float8_e8m0fnu;
         });
}

Case set_computed_dtype(Case c) {
  if (stores_8_bits(c)) c.dtype = DType::float32;
  return c;
}

bool is_name_of_scale(std::string_view name) {
  return name.ends_with("_scale") || name.find("_scale_") != std::string_view::npos;
}

Case dequantize_inputs(const Case& c) {
  if (!is_scaled(c)) return c;
  Case real = set_computed_dtype(c);
  std::erase_if(real.inputs, [](const StoredTensor& t) { return is_name_of_scale(t.name); });
  for (StoredTensor& input : real.inputs) {
    if (!has_scales(input)) continue;
    std::vector<double> values = ref::io::widen(input);
    const std::vector<double> scales = scales_of(c, input);
    // The product is exact in double.
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[i];
    input = ref::io::make_tensor(input.name, input.shape, values);
  }
  return real;
}

}  // namespace normproof::verification::golden::corpus
