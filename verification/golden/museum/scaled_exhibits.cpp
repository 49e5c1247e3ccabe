#include <algorithm>
#include <bit>
#include <cmath>

#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/museum/kernel_case.hpp"

namespace normproof::verification::golden::museum {

namespace {

using ref::numeric::FloatFormat;
using ref::numeric::FloatType;
using Answer = std::vector<StoredTensor>;

/// Returns the exponent of the scale of a block from its largest magnitude, which is not 0.
using ScaleExponent = std::function<int(double largest, const FloatFormat& format)>;

/// Returns the exponents of the scales of the blocks, in the order of the blocks.
std::vector<int> find_exponents(const Values& y, const corpus::ScaleBlocks& blocks,
                                const FloatFormat& format, const ScaleExponent& find_exponent) {
  Values largest(blocks.count(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double& own = largest[blocks.index(i)];
    own = std::max(own, std::fabs(y[i]));
  }
  std::vector<int> exponents;
  exponents.reserve(largest.size());
  for (const double m : largest)
    exponents.push_back(m > 0 ? std::clamp(find_exponent(m, format), -127, 127) : -127);
  return exponents;
}

/// Rounds a quotient to the format, with saturation.
using Rounding = std::function<double(const FloatFormat& format, double quotient)>;

double round_with_saturation(const FloatFormat& format, double quotient) {
  return ref::numeric::round_to(format, quotient, ref::numeric::Overflow::saturate);
}

/// Stores y in blocks whose scales are found by `find_exponent`, and whose elements are rounded by
/// `round`. All other outputs, and the outputs of cases without scales of blocks, are right.
Kernel store_blocks(const ScaleExponent& find_exponent,
                    const Rounding& round = round_with_saturation) {
  return [find_exponent, round](const Case& c, const KernelEnvironment&) {
    Answer answer = run_with_mutation(c, {});
    if (corpus::output_scaling(c, "y") != corpus::OutputScaling::blocks) return answer;
    const FloatFormat& format = ref::numeric::float_format_info(*ref::io::float_type(c.dtype));
    const Answer wide = run_with_mutation(corpus::dequantize_inputs(c), {});
    const StoredTensor& real = *corpus::find(wide, "y");
    Values y = ref::io::widen(real);
    const corpus::ScaleBlocks blocks(real.shape);
    const std::vector<int> exponents = find_exponents(y, blocks, format, find_exponent);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = round(format, std::ldexp(y[i], -exponents[blocks.index(i)]));
    Values scales;
    scales.reserve(exponents.size());
    for (const int exponent : exponents) scales.push_back(std::ldexp(1, exponent));
    for (StoredTensor& tensor : answer)
      if (tensor.name == "y" || tensor.name == "y_scale")
        tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape,
                                      tensor.name == "y" ? y : scales);
    return answer;
  };
}

/// Returns the scale of a group from its elements.
using GroupScale = std::function<double(const Values& group, const FloatFormat& format,
                                        const KernelEnvironment& environment)>;

/// Stores y with float32 scales that are found by `find_scale`. All other outputs, and the outputs
/// of cases without such scales, or with limits of them, powers of two or one scale of all
/// elements, are right.
Kernel store_groups(const GroupScale& find_scale) {
  return [find_scale](const Case& c, const KernelEnvironment& environment) {
    Answer answer = run_with_mutation(c, {});
    if (corpus::output_scaling(c, "y") != corpus::OutputScaling::groups ||
        corpus::find(c.inputs, corpus::kUpperBoundOfY) != nullptr ||
        corpus::find(c.inputs, corpus::kMinScaleOfY) != nullptr ||
        corpus::scale_limits(c).are_powers_of_two || corpus::has_one_scale_of_y(c))
      return answer;
    const FloatFormat& format = ref::numeric::float_format_info(*ref::io::float_type(c.dtype));
    const Answer wide = run_with_mutation(corpus::dequantize_inputs(c), {});
    const StoredTensor& real = *corpus::find(wide, "y");
    Values y = ref::io::widen(real), scales;
    const corpus::ScaleBlocks blocks = corpus::scale_blocks_of_y(c, real.shape);
    const std::size_t width = blocks.row_length(), size = blocks.size();
    for (std::size_t row = 0; row < y.size(); row += width)
      for (std::size_t d = 0; d < width; d += size) {
        const auto begin = y.begin() + static_cast<std::ptrdiff_t>(row + d);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(size, width - d));
        scales.push_back(find_scale({begin, end}, format, environment));
        for (auto v = begin; v != end; ++v)
          *v = ref::numeric::round_to(
              format,
              static_cast<double>(static_cast<float>(*v) / static_cast<float>(scales.back())),
              ref::numeric::Overflow::saturate);
      }
    for (StoredTensor& tensor : answer)
      if (tensor.name == "y" || tensor.name == "y_scale")
        tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape,
                                      tensor.name == "y" ? y : scales);
    return answer;
  };
}

double largest_magnitude(const Values& group) {
  double largest = 0;
  for (const double v : group) largest = std::max(largest, std::fabs(v));
  return largest;
}

double quotient(double magnitude, double largest) {
  return static_cast<double>(static_cast<float>(magnitude) / static_cast<float>(largest));
}

/// The largest magnitude by the largest number, which is 0 for a group of zeros.
double scale_without_least(const Values& group, const FloatFormat& format,
                           const KernelEnvironment&) {
  return quotient(largest_magnitude(group), format.largest);
}

/// The largest magnitude of lanes whose number is a power of two. The lanes behind the group hold
/// memory that nobody wrote.
double scale_of_padded_lanes(const Values& group, const FloatFormat& format,
                             const KernelEnvironment& environment) {
  double largest = largest_magnitude(group);
  if (!std::has_single_bit(group.size()))
    largest = std::max(largest, std::fabs(environment.uninitialized_value));
  return largest == 0 ? 1 : quotient(largest, format.largest);
}

/// The exponent of M / largest, rounded to the nearest whole number.
int nearest_exponent(double largest, const FloatFormat& format) {
  return static_cast<int>(std::lround(std::log2(largest / format.largest)));
}

int right_exponent(double largest, const FloatFormat& format) {
  return std::ilogb(largest) - format.max_exponent;
}

/// Rounds subnormal quotients after the bits far behind the last digit have been dropped.
double round_without_sticky_bits(const FloatFormat& format, double quotient) {
  constexpr double kUnit = 0x1p-8;
  if (std::fabs(quotient) < format.smallest_normal) quotient = std::trunc(quotient / kUnit) * kUnit;
  return round_with_saturation(format, quotient);
}

/// Multiplies by scales of e4m3 of which the subnormal ones are read as normal numbers. The outputs
/// of cases without such scales are right.
Answer read_subnormal_scales_as_normal(const Case& c, const KernelEnvironment&) {
  Answer answer = run_with_mutation(c, {});
  const StoredTensor* const scales = corpus::find(c.inputs, "x_scale");
  if (scales == nullptr || scales->dtype != ref::io::DType::float8_e4m3fn) return answer;
  StoredTensor& y = *std::ranges::find(answer, "y", &StoredTensor::name);
  const corpus::ScaleBlocks blocks = corpus::scale_blocks_of_input(c, *corpus::find(c.inputs, "x"));
  Values values = ref::io::widen(y);
  const Values right = ref::io::widen(*scales);
  constexpr double kSmallestNormal = 0x1p-6;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scale = right[blocks.index(i)];
    // The fraction of a subnormal number is a multiple of 2^-9.
    if (scale > 0 && scale < kSmallestNormal)
      values[i] = ref::numeric::round_to(FloatType::float32,
                                         values[i] / scale * (kSmallestNormal / 2 + scale / 2));
  }
  y = ref::io::make_tensor(y.name, y.dtype, y.shape, values);
  return answer;
}

int exponent_after_bfloat16(double largest, const FloatFormat& format) {
  return std::ilogb(ref::numeric::round_to(FloatType::bfloat16, largest)) - format.max_exponent;
}

/// The exponent of M, plus 1 from 1.5 times a power of two on, for a format whose largest power of
/// two is half that of e4m3fn.
int exponent_for_fnuz(double largest, const FloatFormat& format) {
  const int exponent = std::ilogb(largest);
  const bool rounds_up = std::ldexp(largest, -exponent) >= 1.5;
  return exponent + (rounds_up ? 1 : 0) - (format.max_exponent - 1);
}

}  // namespace

std::vector<Exhibit> scaled_exhibits() {
  using mutations::MutationOperator;
  return {
      {"scale_to_nearest", "ml-explore/mlx#4353",
       "the scale of a block is rounded to the nearest power of two, and half of the blocks lose "
       "their largest elements to saturation",
       "the error of the largest element of a block", "silu", DType::float8_e4m3fn,
       store_blocks(nearest_exponent)},
      {"magnitude_in_bfloat16", "pytorch/ao#4725",
       "the largest magnitude of a block is rounded to bfloat16 before its exponent is read: just "
       "below a power of two the scale is twice as large",
       "magnitudes in float32 just below a power of two", "rms_norm", DType::float8_e4m3fn,
       store_blocks(exponent_after_bfloat16)},
      {"scale_of_another_range", "ROCm/aiter#3212",
       "the scale of a block is made for e4m3fnuz, whose range is half as large, and rounded from "
       "1.5 on",
       "a format other than that of the first processors", "swiglu", DType::float8_e4m3fn,
       store_blocks(exponent_for_fnuz)},
      {"zeros_over_zero", "huggingface/kernels-community#680",
       "the scale of a group of zeros is 0, and its elements are NaN", "a block of zeros", "silu",
       DType::float8_e4m3fn, store_groups(scale_without_least)},
      {"lanes_behind_the_row", "ROCm/aiter#4288",
       "the largest magnitude of a row runs over lanes that nobody wrote if its length is no power "
       "of two",
       "rows whose length is no power of two", "rms_norm", DType::float8_e4m3fn,
       store_groups(scale_of_padded_lanes)},
      {"divided_before_the_power_of_two", "huggingface/transformers#46763",
       "the scale of a block is rounded up to a power of two after the elements have been divided "
       "by "
       "it",
       "scales that are powers of two, and the elements that belong to them", "quantize",
       DType::float8_e4m3fn, mutate("powers of two of the scales of y", MutationOperator::other)},
      {"cast_to_int8", "sgl-project/sglang-jax#1598",
       "a quotient is cast to int8, so that it is rounded toward 0 and half of the codes are off "
       "by "
       "one",
       "codes of int8, as casts to float8 round", "quantize", DType::int8,
       mutate("rounding of y", MutationOperator::truncate)},
      {"ties_away_from_zero", "tenstorrent/tt-metal#56525",
       "a quotient in the middle between two integers is rounded away from 0, and not to even",
       "quotients that are ties", "quantize", DType::int8,
       mutate("rounding of y", MutationOperator::half_away)},
      {"int8_wraps", "ROCm/aiter#4637",
       "a quotient beyond 127 is cast to int8 without saturation, and 127.6 becomes -128",
       "quotients beyond the range of a given scale", "quantize", DType::int8,
       mutate("overflow of y", MutationOperator::other)},
      {"four_bit_ties_away_from_zero", "ROCm/aiter#2247",
       "a quotient in the middle between two numbers of 4 bits is rounded away from 0", "ties",
       "quantize", DType::float4_e2m1fn, mutate("rounding of y", MutationOperator::half_away)},
      {"halves_exchanged", "sgl-project/sglang#23625",
       "the first of two elements of 4 bits is taken from the upper half of a byte",
       "neighboring elements that differ", "quantize", DType::float4_e2m1fn,
       mutate("order in the bytes of y", MutationOperator::other)},
      {"tensor_scale_not_inverted", "modular/modular#6600",
       "the scale of the tensor is stored as a divisor and used as a factor",
       "a scale of the tensor other than 1", "dequantize", DType::float32,
       mutate("tensor scale of x", MutationOperator::inverted)},
      {"subnormal_scales_as_normal", "local-inference-lab/b12x#388",
       "a scale of e4m3 whose exponent is 0 is decoded as a normal number",
       "scales that are subnormal numbers", "dequantize", DType::float32,
       read_subnormal_scales_as_normal},
      {"scale_beyond_448", "NVIDIA/Model-Optimizer#1397",
       "the scale of a block is cast to e4m3 without saturation, and beyond 464 it is NaN",
       "a scale of the tensor that is too small", "quantize", DType::float4_e2m1fn,
       mutate("rounding of the scales of y", MutationOperator::unsaturated)},
      {"sticky_bits_dropped", "tenstorrent/tt-metal#51971",
       "a quotient above a tie of two subnormal numbers is rounded down, since its last bits are "
       "dropped before",
       "quotients beside a tie of subnormal numbers", "quantize", DType::float4_e2m1fn,
       store_blocks(right_exponent, round_without_sticky_bits)},
  };
}

}  // namespace normproof::verification::golden::museum
