#include "verification/golden/plain/plain_scaled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ref/numeric/float_bits.hpp"
#include "ref/numeric/power_of_two.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::OutputScaling;
using corpus::scale_name;
using corpus::ScaleBlocks;
using ref::numeric::FloatFormat;
using ref::numeric::FloatType;
using ref::numeric::Overflow;
using ref::numeric::round_to;
using Op = MutationOperator;

namespace {

DType other_format(DType dtype) {
  return dtype == DType::float8_e4m3fn ? DType::float8_e5m2 : DType::float8_e4m3fn;
}

const FloatFormat& format_of_dtype(DType dtype) {
  return ref::numeric::float_format_info(*ref::io::float_type(dtype));
}

/// Rounds v to a number of the format by its magnitude: toward 0, or, if `half_away` is true, to
/// the nearest number with ties away from 0.
double round_magnitude(const FloatFormat& format, double v, bool half_away) {
  if (!std::isfinite(v) || std::fabs(v) >= format.largest)
    return round_to(format, v, Overflow::saturate);
  const double least = ref::numeric::exact_power_of_two(format.min_exponent);
  const int exponent = std::ilogb(std::max(std::fabs(v), least));
  const double unit = ref::numeric::exact_power_of_two(exponent - format.digits + 1);
  const double below = std::floor(std::fabs(v) / unit) * unit;
  return std::copysign(half_away && std::fabs(v) - below >= unit / 2 ? below + unit : below, v);
}

/// Whether v is a midpoint of two neighboring numbers of the format that rounds toward 0.
bool is_tie_toward_zero(const FloatFormat& format, double v) {
  return std::isfinite(v) &&
         round_magnitude(format, v, true) != round_to(format, v, Overflow::saturate);
}

/// Rounds v to a format without NaN. The codes of numbers out of range wrap around: those of
/// integers by two's complement, and in a float the carry of the exponent changes the sign.
double wrap(const FloatFormat& format, double v) {
  if (!ref::numeric::is_integer_format(format)) {
    const double rounded = round_to(format, v, Overflow::special);
    return std::isnan(rounded) ? std::copysign(0.0, -v) : rounded;
  }
  const double count = 2 * (format.largest + 1), rounded = std::nearbyint(v);
  if (!std::isfinite(rounded)) return -format.largest - 1;
  return rounded - std::floor(rounded / count + 0.5) * count;
}

/// Reads and writes 8-bit tensors with scales. It computes in float32, whatever arithmetic the
/// operation itself uses.
class ScaledTensors {
 public:
  ScaledTensors(const Case& c, const Style& style, Sites& sites)
      : c_(c),
        a_(style, sites),
        sites_(sites),
        scale_rounding_(style.scale_rounding),
        reciprocal_(style.reciprocal) {}

  /// Returns the real numbers that an input represents.
  std::vector<double> read(const StoredTensor& input) {
    StoredTensor seen = input;
    const Op format = at("format of", input.name, other_formats(input.dtype));
    if (format == Op::other_format) seen.dtype = other_format(input.dtype);
    std::vector<double> values = ref::io::widen(seen);
    if (format == Op::other_bias)
      for (double& v : values) v /= 2;
    exchange_halves(input.name, input.dtype, values);
    const std::string scale = scale_name(input.name);
    const StoredTensor* const group = find(c_.inputs, scale + "_group");
    if (group == nullptr && find(c_.inputs, scale)->dtype == DType::float32)
      return multiply_by_one_scale(input, values);
    return multiply_by_block_scales(input, values, corpus::scale_blocks_of_input(c_, input));
  }

  /// Returns an output as it is stored, followed by the scales of its blocks if it has blocks.
  std::vector<StoredTensor> write(const StoredTensor& output) {
    const std::vector<double> values = ref::io::widen(output);
    const DType dtype = corpus::stored_output_dtype(c_, output.name);
    switch (corpus::output_scaling(c_, output.name)) {
      case OutputScaling::none:
        return {ref::io::make_tensor(output.name, dtype, output.shape, values)};
      case OutputScaling::given:
        return {stored(output, dtype, divide_by_one_scale(output.name, values))};
      case OutputScaling::blocks:
      case OutputScaling::groups:
      case OutputScaling::blocks_of_tensor:
        break;
    }
    const ScaleBlocks blocks = corpus::scale_blocks_of_y(c_, output.shape);
    const std::vector<double> scales =
        scales_of_blocks(output.name, values, blocks, format_of_dtype(dtype));
    StoredTensor elements =
        stored(output, dtype, divide_by_block_scales(output.name, values, blocks, scales));
    const std::string scale = scale_name(output.name);
    StoredTensor own =
        ref::io::make_tensor(scale, corpus::stored_output_dtype(c_, scale),
                             blocks.shape_of_scales(), written_scales(blocks, scales));
    return {std::move(elements), std::move(own)};
  }

 private:
  Op at(const char* what, const std::string& tensor, const std::vector<Op>& offered) {
    return sites_.any((std::string(what) + " " + tensor).c_str(), offered);
  }

  /// The errors in which one 8-bit floating-point format is taken for another.
  static std::vector<Op> other_formats(DType dtype) {
    if (!format_of_dtype(dtype).has_nan) return {};
    return {Op::other_format, Op::other_bias};
  }

  /// An error takes the upper half of a byte for the first one of its two elements of 4 bits.
  void exchange_halves(const std::string& tensor, DType dtype, std::vector<double>& values) {
    if (dtype != DType::float4_e2m1fn || values.size() % 2 != 0) return;
    if (at("order in the bytes of", tensor, {Op::other}) != Op::other) return;
    for (std::size_t i = 0; i < values.size(); i += 2) std::swap(values[i], values[i + 1]);
  }

  /// Returns the scale by which the scales of the blocks of a tensor are multiplied. It is 1 if the
  /// case has none.
  float tensor_scale(const std::string& tensor) {
    if (find(c_.inputs, corpus::tensor_scale_name(tensor)) == nullptr) return 1;
    const auto scale = static_cast<float>(corpus::tensor_scale(c_, tensor));
    const Op op = at("tensor scale of", tensor, {Op::drop, Op::inverted, Op::square});
    return op == Op::drop       ? 1
           : op == Op::inverted ? 1 / scale
           : op == Op::square   ? scale * scale
                                : scale;
  }

  /// Returns the scales of the blocks or groups of an input. An error reads those of e4m3 as
  /// numbers of another format.
  std::vector<double> read_block_scales(const std::string& tensor) {
    StoredTensor seen = *find(c_.inputs, scale_name(tensor));
    if (seen.dtype != DType::float8_e4m3fn) return ref::io::widen(seen);
    const Op format = at("format of", seen.name, other_formats(seen.dtype));
    if (format == Op::other_format) seen.dtype = other_format(seen.dtype);
    std::vector<double> scales = ref::io::widen(seen);
    if (format == Op::other_bias)
      for (double& v : scales) v /= 2;
    return scales;
  }

  std::vector<double> multiply_by_one_scale(const StoredTensor& input, std::vector<double> values) {
    const float scale =
        static_cast<float>(ref::io::widen(*find(c_.inputs, scale_name(input.name)))[0]);
    const Op op = at("scaling of", input.name, {Op::drop, Op::inverted, Op::square});
    const float factor = op == Op::drop       ? 1.0F
                         : op == Op::inverted ? 1 / scale
                         : op == Op::square   ? scale * scale
                                              : scale;
    for (double& v : values) v = static_cast<double>(static_cast<float>(v) * factor);
    return values;
  }

  std::vector<double> multiply_by_block_scales(const StoredTensor& input,
                                               std::vector<double> values,
                                               const ScaleBlocks& layout) {
    const std::vector<double> scales = read_block_scales(input.name);
    const float of_tensor = tensor_scale(input.name);
    const std::size_t d_model = layout.row_length(), rows = layout.rows(), size = layout.size();
    const std::size_t blocks = layout.blocks_per_row(), whole = d_model / size * size;
    const bool has_groups = find(c_.inputs, scale_name(input.name))->dtype == DType::float32;
    std::vector<Op> offered = {Op::drop,  Op::inverted, Op::half_block, Op::whole_row,
                               Op::twice, Op::halved,   Op::transposed};
    if (whole < d_model) offered.push_back(Op::forget_remainder);
    if (has_groups && scales.size() > 1) offered.push_back(Op::rotated);
    const Op op =
        at(has_groups ? "scales of the groups of" : "scales of the blocks of", input.name, offered);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / d_model, d = i % d_model;
      std::size_t block = d / size;
      if (op == Op::half_block)
        block = std::min(d / std::max<std::size_t>(size / 2, 1), blocks - 1);
      if (op == Op::whole_row) block = 0;
      std::size_t at = op == Op::transposed ? block * rows + row : row * blocks + block;
      if (op == Op::rotated) at = (at + 1) % scales.size();
      double scale = scales[at];
      if (op == Op::drop) scale = 1;
      if (op == Op::inverted) scale = 1 / scale;
      if (op == Op::twice) scale *= 2;
      if (op == Op::halved) scale /= 2;
      const bool forgotten = op == Op::forget_remainder && d >= whole;
      const float factor = static_cast<float>(scale) * of_tensor;
      values[i] = forgotten ? 0 : static_cast<double>(static_cast<float>(values[i]) * factor);
    }
    return values;
  }

  std::vector<double> divide_by_one_scale(const std::string& output, std::vector<double> values) {
    const float scale = static_cast<float>(ref::io::widen(*find(c_.inputs, scale_name(output)))[0]);
    const Op op = at("scaling of", output, {Op::drop, Op::inverted, Op::square});
    for (double& v : values) {
      const float own = static_cast<float>(v);
      v = static_cast<double>(op == Op::drop       ? own
                              : op == Op::inverted ? own * scale
                              : op == Op::square   ? own / scale / scale
                                                   : a_.over(own, scale));
    }
    return values;
  }

  /// Computes the scales of the blocks by the convention of the format. An injected error can use a
  /// wrong convention.
  std::vector<double> scales_of_blocks(const std::string& output, const std::vector<double>& values,
                                       const ScaleBlocks& blocks, const FloatFormat& format) {
    const std::size_t d_model = blocks.row_length(), rows = blocks.rows(), size = blocks.size();
    std::vector<Op> offered = {Op::half_block, Op::whole_row,    Op::transposed,      Op::twice,
                               Op::halved,     Op::not_a_number, Op::through_bfloat16};
    if (corpus::has_one_scale_of_y(c_)) std::erase(offered, Op::transposed);
    if (d_model % size != 0) offered.push_back(Op::forget_remainder);
    const bool has_groups = corpus::output_scaling(c_, output) == OutputScaling::groups;
    block_mutation_ =
        at(has_groups ? "scales of the groups of" : "scales of the blocks of", output, offered);
    std::vector<double> largest(blocks.count(), 0.0), signed_largest = largest;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (block_mutation_ == Op::half_block && i % d_model % size >= size / 2) continue;
      const std::size_t from =
          block_mutation_ == Op::transposed ? i % rows * d_model + i / rows : i;
      const std::size_t block = blocks.index(i);
      largest[block] = std::max(largest[block], std::fabs(values[from]));
      signed_largest[block] = std::max(signed_largest[block], values[from]);
    }
    // Only if the largest magnitude of a block is that of a negative number, its sign matters.
    if (largest != signed_largest && at("magnitudes of", output, {Op::drop}) == Op::drop)
      largest = signed_largest;
    if (block_mutation_ == Op::whole_row)
      for (std::size_t row = 0, n = blocks.blocks_per_row(); row < rows; ++row) {
        const auto begin = largest.begin() + static_cast<std::ptrdiff_t>(row * n);
        const auto end = begin + static_cast<std::ptrdiff_t>(n);
        std::fill(begin, end, *std::max_element(begin, end));
      }
    if (block_mutation_ == Op::through_bfloat16)
      for (double& v : largest) v = round_to(FloatType::bfloat16, v);
    const double off = block_mutation_ == Op::twice ? 2 : block_mutation_ == Op::halved ? 0.5 : 1;
    if (has_groups) return find_group_scales(output, off, largest, format);
    if (corpus::output_scaling(c_, output) == OutputScaling::blocks_of_tensor)
      return find_tensor_block_scales(output, off, largest, format);
    for (double& v : largest)
      v = ref::numeric::exact_power_of_two(
          corpus::find_scale_exponent(off * v, format, scale_rounding_));
    return largest;
  }

  /// Returns the float32 scales of groups with these largest magnitudes, times `factor`. A group of
  /// zeros has the scale 1 if the case has no least scale.
  std::vector<double> find_group_scales(const std::string& output, double factor,
                                        std::vector<double> largest, const FloatFormat& format) {
    corpus::ScaleLimits limits = corpus::scale_limits(c_);
    if (std::isfinite(limits.upper) && at("upper bound of", output, {Op::drop}) == Op::drop)
      limits.upper = std::numeric_limits<double>::infinity();
    if (limits.least > 0 && at("least scale of", output, {Op::drop}) == Op::drop) limits.least = 0;
    const auto range = static_cast<float>(format.largest);
    const bool has_zeros = limits.least == 0 && std::ranges::find(largest, 0.0) != largest.end();
    const bool keeps_zero =
        has_zeros && at("zeros in the scales of", output, {Op::drop}) == Op::drop;
    for (double& v : largest) {
      const auto own = static_cast<float>(std::min(v, limits.upper));
      const double scale = a_.over(own, range) * factor;
      v = std::max(v == 0 && has_zeros && !keeps_zero ? 1.0 : scale, limits.least);
    }
    if (limits.are_powers_of_two) round_to_powers_of_two(output, largest);
    return largest;
  }

  /// Returns the scales of blocks with these largest magnitudes, times `factor`, as numbers of
  /// e4m3. Elements are divided by them times the scale of the tensor.
  std::vector<double> find_tensor_block_scales(const std::string& output, double factor,
                                               std::vector<double> largest,
                                               const FloatFormat& format) {
    const FloatFormat& of_scales = format_of_dtype(DType::float8_e4m3fn);
    const float of_tensor = tensor_scale(output);
    const float of_elements =
        at("tensor scale in the elements of", output, {Op::drop}) == Op::drop ? 1 : of_tensor;
    const Op op =
        at("rounding of the scales of", output, {Op::truncate, Op::other, Op::unsaturated});
    const Op as = at("format of", scale_name(output), {Op::other_bias});
    divisors_.clear();
    for (double& v : largest) {
      const float quotient =
          divide(divide(static_cast<float>(v), static_cast<float>(format.largest)), of_tensor);
      const double exact = std::max(quotient * factor, corpus::kMinScaleOfTensorBlock);
      const double rounded = op == Op::truncate ? round_magnitude(of_scales, exact, false)
                                                : round_to(of_scales, exact, overflow_without(op));
      divisors_.push_back(static_cast<float>(op == Op::other ? exact : rounded) * of_elements);
      v = as == Op::other_bias ? round_to(of_scales, 2 * rounded, Overflow::saturate) : rounded;
    }
    return largest;
  }

  /// Rounds float32 scales up to powers of two. Elements are divided by the rounded scales.
  void round_to_powers_of_two(const std::string& output, std::vector<double>& scales) {
    const Op op = at("powers of two of the scales of", output, {Op::drop, Op::truncate, Op::other});
    divisors_.clear();
    if (op == Op::drop) return;
    if (op == Op::other) divisors_ = scales;
    for (double& v : scales) {
      const bool is_power = ref::numeric::is_power_of_two(v);
      const int exponent = std::ilogb(v) + (is_power ? 0 : 1);
      v = std::ldexp(1, op == Op::truncate && !is_power ? exponent - 1 : exponent);
    }
  }

  bool is_scale_forgotten(std::size_t i, const ScaleBlocks& blocks) const {
    const std::size_t d_model = blocks.row_length(), size = blocks.size();
    return block_mutation_ == Op::forget_remainder && i % d_model >= d_model / size * size;
  }

  /// Divides by a scale, or multiplies by its reciprocal. A power of two divides exactly.
  double divide_by_scale(double value, double scale, bool is_power_of_two) const {
    const auto own = static_cast<float>(value), by = static_cast<float>(scale);
    if (is_power_of_two && by == scale) return value / scale;
    return divide(own, by);
  }

  /// Returns the quotient of two numbers, or the product with the reciprocal of the second one.
  float divide(float value, float by) const {
    return reciprocal_ ? value * a_.over(1, by) : a_.over(value, by);
  }

  std::vector<double> divide_by_block_scales(const std::string& output, std::vector<double> values,
                                             const ScaleBlocks& blocks,
                                             const std::vector<double>& scales) {
    const bool has_powers_of_two =
        corpus::output_scaling(c_, output) == OutputScaling::blocks ||
        (corpus::scale_limits(c_).are_powers_of_two && divisors_.empty());
    std::vector<Op> offered = {Op::inverted};
    if (scales.size() > 1) offered.push_back(Op::rotated);
    const Op op = at("division by the scales of", output, offered);
    const std::vector<double>& divisors = divisors_.empty() ? scales : divisors_;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t block = blocks.index(i);
      const double scale = divisors[op == Op::rotated ? (block + 1) % scales.size() : block];
      values[i] = is_scale_forgotten(i, blocks) ? 0
                  : op == Op::inverted          ? values[i] * scale
                                       : divide_by_scale(values[i], scale, has_powers_of_two);
    }
    return values;
  }

  /// Returns the scales as they are written. An injected error may leave out or spoil the scale of
  /// the last block of each row.
  std::vector<double> written_scales(const ScaleBlocks& layout, std::vector<double> scales) const {
    const std::size_t blocks = layout.blocks_per_row();
    for (std::size_t b = blocks - 1; b < scales.size(); b += blocks) {
      if (block_mutation_ == Op::forget_remainder)
        scales[b] = divisors_.empty() ? 0x1p-127 : corpus::kMinScaleOfTensorBlock;
      if (block_mutation_ == Op::not_a_number) scales[b] = std::numeric_limits<double>::quiet_NaN();
    }
    return scales;
  }

  /// Whether every correct kernel finds the exact quotients of quantize by these scales. Only then
  /// the rounding of a tie can be judged.
  bool has_exact_quotients(const std::string& output) const {
    if (!corpus::has_operation<ref::model::QuantizeOptions>(c_)) return false;
    const StoredTensor* const scale = find(c_.inputs, scale_name(output));
    return scale == nullptr ? corpus::output_scaling(c_, output) == OutputScaling::blocks
                            : ref::numeric::is_power_of_two(ref::io::widen(*scale)[0]);
  }

  /// Rounds each number to the 8-bit format.
  StoredTensor stored(const StoredTensor& output, DType dtype, std::vector<double> values) {
    const FloatFormat& format = format_of_dtype(dtype);
    const Op as = at("format of", output.name, other_formats(dtype));
    std::vector<Op> roundings = {Op::truncate};
    if (has_exact_quotients(output.name) &&
        std::ranges::any_of(values, [&](double v) { return is_tie_toward_zero(format, v); }))
      roundings.push_back(Op::half_away);
    const Op rounding = at("rounding of", output.name, roundings);
    const Op before = sites_.any(format.bits == 4 ? "rounding to 4 bits" : "rounding to 8 bits",
                                 {Op::through_bfloat16, Op::through_float16});
    // In a format without NaN, the codes beyond the range wrap around.
    std::vector<Op> overflows = {format.has_nan ? Op::unsaturated : Op::other};
    if (ref::numeric::is_integer_format(format) &&
        std::ranges::any_of(values, [&](double v) { return std::nearbyint(v) < -format.largest; }))
      overflows.push_back(Op::one_more);
    const Op overflow = at("overflow of", output.name, overflows);
    for (double& v : values) {
      if (as == Op::other_bias) v *= 2;
      if (before == Op::through_bfloat16) v = round_to(FloatType::bfloat16, v);
      if (before == Op::through_float16) v = round_to(FloatType::float16, v);
      v = as == Op::other_format ? read_as_other(dtype, v, overflow)
          : rounding != Op::none ? round_magnitude(format, v, rounding == Op::half_away)
                                 : rounded(format, v, overflow);
      // The NaN of another 8-bit format may have bits that this one lacks. An integer has no NaN;
      // hardware converts it to 0.
      if (std::isnan(v)) v = format.has_nan ? std::numeric_limits<double>::quiet_NaN() : 0;
    }
    exchange_halves(output.name, dtype, values);
    return ref::io::make_tensor(output.name, dtype, output.shape, values);
  }

  static Overflow overflow_without(Op overflow) {
    return overflow == Op::unsaturated ? Overflow::special : Overflow::saturate;
  }

  /// Rounds v to the format.
  static double rounded(const FloatFormat& format, double v, Op overflow) {
    if (overflow == Op::one_more && std::nearbyint(v) < -format.largest) return -format.largest - 1;
    if (overflow == Op::other) return wrap(format, v);
    return round_to(format, v, overflow_without(overflow));
  }

  /// Rounds v to the other 8-bit format and reads the bits as those of `dtype`.
  static double read_as_other(DType dtype, double v, Op overflow) {
    const FloatFormat& other = format_of_dtype(other_format(dtype));
    return ref::numeric::decode(
        format_of_dtype(dtype),
        ref::numeric::encode(other, round_to(other, v, overflow_without(overflow))));
  }

  const Case& c_;
  PlainArithmetic<float> a_;
  Sites& sites_;
  corpus::ScaleRounding scale_rounding_;
  bool reciprocal_;
  Op block_mutation_ = Op::none;
  std::vector<double> divisors_ = {};  ///< if an injected error divides by other scales
};

/// Replaces the elements of the input `name` by `values`.
void replace(EvalInputs& inputs, const Case& c, const std::string& name,
             const std::vector<double>& values) {
  ref::tensor::Tensor<double>& operand = corpus::is_function(c) ? inputs.function.tensors.at(name)
                                         : name == "x"          ? inputs.steps.at(0).x
                                                                : inputs.steps.at(0).grad_y;
  std::copy(values.begin(), values.end(), operand.data());
}

}  // namespace

std::vector<StoredTensor> run_plain_with_scaling(const Case& c, const EvalInputs& inputs,
                                                 const Style& style, Sites& sites) {
  ScaledTensors tensors(c, style, sites);
  EvalInputs read = inputs;
  for (const StoredTensor& input : c.inputs)
    if (corpus::has_scales(input)) replace(read, c, input.name, tensors.read(input));
  std::vector<StoredTensor> written;
  for (const StoredTensor& output : run_plain(corpus::dequantize_inputs(c), read, style, sites))
    for (StoredTensor& own : tensors.write(output)) written.push_back(std::move(own));
  return written;
}

}  // namespace normproof::verification::golden::plain
