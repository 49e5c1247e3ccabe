#include <algorithm>
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
std::vector<int> find_exponents(const Values& y, std::size_t width, const FloatFormat& format,
                                const ScaleExponent& find_exponent) {
  Values largest(corpus::block_index(y.size() - 1, width) + 1, 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double& own = largest[corpus::block_index(i, width)];
    own = std::max(own, std::fabs(y[i]));
  }
  std::vector<int> exponents;
  exponents.reserve(largest.size());
  for (const double m : largest)
    exponents.push_back(m > 0 ? std::clamp(find_exponent(m, format), -127, 127) : -127);
  return exponents;
}

/// Stores y in blocks whose scales are found by `find_exponent`. All other outputs, and the outputs
/// of cases without scales of blocks, are right.
Kernel store_blocks(const ScaleExponent& find_exponent) {
  return [find_exponent](const Case& c, const KernelEnvironment&) {
    Answer answer = run_with_mutation(c, {});
    if (corpus::output_scaling(c, "y") != corpus::OutputScaling::blocks) return answer;
    const FloatFormat& format = ref::numeric::float_format_info(*ref::io::float_type(c.dtype));
    const Answer wide = run_with_mutation(corpus::dequantize_inputs(c), {});
    const StoredTensor& real = *corpus::find(wide, "y");
    Values y = ref::io::widen(real);
    const std::size_t width = real.shape.back();
    const std::vector<int> exponents = find_exponents(y, width, format, find_exponent);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = ref::numeric::round_to(format,
                                    std::ldexp(y[i], -exponents[corpus::block_index(i, width)]),
                                    ref::numeric::Overflow::saturate);
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

/// The exponent of M / largest, rounded to the nearest whole number.
int nearest_exponent(double largest, const FloatFormat& format) {
  return static_cast<int>(std::lround(std::log2(largest / format.largest)));
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
  };
}

}  // namespace normproof::verification::golden::museum
