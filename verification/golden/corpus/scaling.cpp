#include "verification/golden/corpus/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/corpus/arithmetic.hpp"

namespace normproof::verification::golden::corpus {

namespace {

constexpr int kMaxScaleExponent = 127;  // the largest exponent of float8_e8m0fnu

bool has_8_bits(DType dtype) {
  return ref::io::is_float(dtype) && ref::io::item_size(dtype) == 1;
}

}  // namespace

bool has_scales(const StoredTensor& input) {
  return has_8_bits(input.dtype);
}

bool is_scaled(const Case& c) {
  return has_8_bits(c.dtype);
}

std::string scale_name(std::string_view tensor) {
  return fmt::format("{}_scale", tensor);
}

OutputScaling output_scaling(const Case& c, std::string_view output) {
  if (!is_scaled(c)) return OutputScaling::none;
  if (find(c.inputs, scale_name(output)) != nullptr) return OutputScaling::given;
  if (output != "y") return OutputScaling::none;
  return find(c.inputs, kGroupOfY) != nullptr ? OutputScaling::groups : OutputScaling::blocks;
}

ScaleLimits scale_limits(const Case& c) {
  ScaleLimits limits;
  if (const StoredTensor* const upper = find(c.inputs, kUpperBoundOfY))
    limits.upper = ref::io::widen(*upper).at(0);
  if (const StoredTensor* const least = find(c.inputs, kMinScaleOfY))
    limits.least = ref::io::widen(*least).at(0);
  return limits;
}

std::size_t scale_block_size(const Case& c) {
  const StoredTensor* const group = find(c.inputs, kGroupOfY);
  return group == nullptr ? kScaledBlockSize
                          : static_cast<std::size_t>(ref::io::widen(*group).at(0));
}

DType stored_output_dtype(const Case& c, std::string_view output) {
  if (!is_scaled(c)) return output_dtype(c, output);
  if (output == "y") return c.dtype;
  if (output == "y_scale")
    return output_scaling(c, "y") == OutputScaling::groups ? DType::float32 : DType::float8_e8m0fnu;
  return output_scaling(c, output) == OutputScaling::given ? DType::float8_e5m2 : DType::float32;
}

std::vector<std::size_t> block_scales_shape(std::vector<std::size_t> shape, std::size_t size) {
  shape.back() = (shape.back() + size - 1) / size;
  return shape;
}

std::size_t block_index(std::size_t i, std::size_t d_model, std::size_t size) {
  return i / d_model * ((d_model + size - 1) / size) + i % d_model / size;
}

int block_scale_exponent(int of_largest, const ref::numeric::FloatFormat& format) {
  return std::clamp(of_largest - format.max_exponent, -kMaxScaleExponent, kMaxScaleExponent);
}

std::vector<double> scales_of(const Case& c, const StoredTensor& input) {
  const StoredTensor* const scale = find(c.inputs, scale_name(input.name));
  const auto refuse = [&](const std::string& observation) {
    ref::numeric::contract_failure(
        "scales_of", fmt::format("{} of {}", scale_name(input.name), case_folder(c)), observation,
        fmt::format("float32 [1], or float8_e8m0fnu {}",
                    ref::tensor::to_string(block_scales_shape(input.shape))),
        ref::numeric::Clause::C1);
  };
  if (scale == nullptr) refuse("is absent");
  const bool one = scale->dtype == DType::float32 && scale->shape == std::vector<std::size_t>{1};
  const bool blocks =
      scale->dtype == DType::float8_e8m0fnu && scale->shape == block_scales_shape(input.shape);
  if (!one && !blocks)
    refuse(fmt::format("is {} {}", ref::io::to_string(scale->dtype),
                       ref::tensor::to_string(scale->shape)));
  const std::vector<double> own = ref::io::widen(*scale);
  std::vector<double> scales(input.bytes.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = one ? own[0] : own[block_index(i, input.shape.back())];
  return scales;
}

bool rounds_inputs(const Case& c) {
  return is_scaled(c) && std::ranges::any_of(c.inputs, [&](const StoredTensor& input) {
           if (!has_8_bits(input.dtype)) return false;
           const StoredTensor* const scale = find(c.inputs, scale_name(input.name));
           return scale != nullptr && scale->dtype == DType::float32;
         });
}

Case set_computed_dtype(Case c) {
  if (is_scaled(c)) c.dtype = DType::float32;
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
    if (!has_8_bits(input.dtype)) continue;
    std::vector<double> values = ref::io::widen(input);
    const std::vector<double> scales = scales_of(c, input);
    // The product is exact in double.
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[i];
    input = ref::io::make_tensor(input.name, input.shape, values);
  }
  return real;
}

}  // namespace normproof::verification::golden::corpus
