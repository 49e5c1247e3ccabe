#include "verification/golden/plain/plain_scaled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ref/numeric/float_bits.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::block_index;
using corpus::find;
using corpus::kScaledBlockSize;
using corpus::OutputScaling;
using corpus::scale_name;
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

/// Truncates v toward 0 to a number of the format.
double truncate_to_format(const FloatFormat& format, double v) {
  const double rounded = round_to(format, v, Overflow::saturate);
  if (!(std::fabs(rounded) > std::fabs(v))) return rounded;
  return ref::numeric::decode(format, ref::numeric::encode(format, rounded) - 1);
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
        reciprocal_(style.reciprocal),
        block_size_(corpus::scale_block_size(c)) {}

  /// Returns the real numbers that an input represents.
  std::vector<double> read(const StoredTensor& input) {
    StoredTensor seen = input;
    const Op format = at("format of", input.name, {Op::other_format, Op::other_bias});
    if (format == Op::other_format) seen.dtype = other_format(input.dtype);
    std::vector<double> values = ref::io::widen(seen);
    if (format == Op::other_bias)
      for (double& v : values) v /= 2;
    return find(c_.inputs, scale_name(input.name))->dtype == DType::float32
               ? multiply_by_one_scale(input, values)
               : multiply_by_block_scales(input, values);
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
        break;
    }
    const std::vector<double> scales = scales_of_blocks(output, values, format_of_dtype(dtype));
    StoredTensor elements = stored(output, dtype, divide_by_block_scales(output, values, scales));
    const std::string scale = scale_name(output.name);
    StoredTensor own = ref::io::make_tensor(scale, corpus::stored_output_dtype(c_, scale),
                                            corpus::block_scales_shape(output.shape, block_size_),
                                            written_scales(output, scales));
    return {std::move(elements), std::move(own)};
  }

 private:
  Op at(const char* what, const std::string& tensor, const std::vector<Op>& offered) {
    return sites_.any((std::string(what) + " " + tensor).c_str(), offered);
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
                                               std::vector<double> values) {
    const std::vector<double> scales = ref::io::widen(*find(c_.inputs, scale_name(input.name)));
    const std::size_t d_model = input.shape.back(), rows = values.size() / d_model;
    const std::size_t blocks = scales.size() / rows,
                      whole = d_model / kScaledBlockSize * kScaledBlockSize;
    std::vector<Op> offered = {Op::drop,  Op::inverted, Op::half_block, Op::whole_row,
                               Op::twice, Op::halved,   Op::transposed};
    if (whole < d_model) offered.push_back(Op::forget_remainder);
    const Op op = at("scales of the blocks of", input.name, offered);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / d_model, d = i % d_model;
      std::size_t block = d / kScaledBlockSize;
      if (op == Op::half_block) block = std::min(d / (kScaledBlockSize / 2), blocks - 1);
      if (op == Op::whole_row) block = 0;
      double scale = scales[op == Op::transposed ? block * rows + row : row * blocks + block];
      if (op == Op::drop) scale = 1;
      if (op == Op::inverted) scale = 1 / scale;
      if (op == Op::twice) scale *= 2;
      if (op == Op::halved) scale /= 2;
      const bool forgotten = op == Op::forget_remainder && d >= whole;
      values[i] = forgotten ? 0 : static_cast<double>(static_cast<float>(values[i] * scale));
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
  std::vector<double> scales_of_blocks(const StoredTensor& output,
                                       const std::vector<double>& values,
                                       const FloatFormat& format) {
    const std::size_t d_model = output.shape.back(), rows = values.size() / d_model;
    std::vector<Op> offered = {Op::half_block, Op::whole_row,    Op::transposed,      Op::twice,
                               Op::halved,     Op::not_a_number, Op::through_bfloat16};
    if (d_model % block_size_ != 0) offered.push_back(Op::forget_remainder);
    const bool has_groups = corpus::output_scaling(c_, output.name) == OutputScaling::groups;
    block_mutation_ = at(has_groups ? "scales of the groups of" : "scales of the blocks of",
                         output.name, offered);
    std::vector<double> largest(block_index(values.size() - 1, d_model, block_size_) + 1, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (block_mutation_ == Op::half_block && i % d_model % block_size_ >= block_size_ / 2)
        continue;
      const std::size_t from =
          block_mutation_ == Op::transposed ? i % rows * d_model + i / rows : i;
      double& own = largest[block_index(i, d_model, block_size_)];
      own = std::max(own, std::fabs(values[from]));
    }
    if (block_mutation_ == Op::whole_row)
      for (std::size_t row = 0, blocks = largest.size() / rows; row < rows; ++row) {
        const auto begin = largest.begin() + static_cast<std::ptrdiff_t>(row * blocks);
        const auto end = begin + static_cast<std::ptrdiff_t>(blocks);
        std::fill(begin, end, *std::max_element(begin, end));
      }
    if (block_mutation_ == Op::through_bfloat16)
      for (double& v : largest) v = round_to(FloatType::bfloat16, v);
    const double off = block_mutation_ == Op::twice ? 2 : block_mutation_ == Op::halved ? 0.5 : 1;
    if (has_groups) return find_group_scales(output.name, off, largest, format);
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
    return largest;
  }

  bool is_scale_forgotten(std::size_t i, std::size_t d_model) const {
    return block_mutation_ == Op::forget_remainder &&
           i % d_model >= d_model / block_size_ * block_size_;
  }

  /// Divides by a float32 scale, or multiplies by its reciprocal. A power of two divides exactly.
  double divide_by_scale(double value, double scale) const {
    const auto own = static_cast<float>(value), by = static_cast<float>(scale);
    if (block_size_ == kScaledBlockSize && by == scale) return value / scale;
    return reciprocal_ ? own * a_.over(1, by) : a_.over(own, by);
  }

  std::vector<double> divide_by_block_scales(const StoredTensor& output, std::vector<double> values,
                                             const std::vector<double>& scales) const {
    const std::size_t d_model = output.shape.back();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = is_scale_forgotten(i, d_model)
                      ? 0
                      : divide_by_scale(values[i], scales[block_index(i, d_model, block_size_)]);
    return values;
  }

  /// Returns the scales as they are written. An injected error may leave out or spoil the scale of
  /// the last block of each row.
  std::vector<double> written_scales(const StoredTensor& output, std::vector<double> scales) const {
    const std::size_t d_model = output.shape.back();
    const std::size_t blocks = (d_model + block_size_ - 1) / block_size_;
    for (std::size_t b = blocks - 1; b < scales.size(); b += blocks) {
      if (block_mutation_ == Op::forget_remainder) scales[b] = 0x1p-127;
      if (block_mutation_ == Op::not_a_number) scales[b] = std::numeric_limits<double>::quiet_NaN();
    }
    return scales;
  }

  /// Rounds each number to the 8-bit format.
  StoredTensor stored(const StoredTensor& output, DType dtype, std::vector<double> values) {
    const FloatFormat &format = format_of_dtype(dtype),
                      &other = format_of_dtype(other_format(dtype));
    const Op as = at("format of", output.name, {Op::other_format, Op::other_bias});
    const bool cuts = at("rounding of", output.name, {Op::truncate}) == Op::truncate;
    const Op before = sites_.any("rounding to 8 bits", {Op::through_bfloat16, Op::through_float16});
    const bool saturates = at("overflow of", output.name, {Op::unsaturated}) != Op::unsaturated;
    const Overflow overflow = saturates ? Overflow::saturate : Overflow::special;
    for (double& v : values) {
      if (as == Op::other_bias) v *= 2;
      if (before == Op::through_bfloat16) v = round_to(FloatType::bfloat16, v);
      if (before == Op::through_float16) v = round_to(FloatType::float16, v);
      if (as == Op::other_format)
        v = ref::numeric::decode(format, ref::numeric::encode(other, round_to(other, v, overflow)));
      else
        v = cuts ? truncate_to_format(format, v) : round_to(format, v, overflow);
      // The NaN of another 8-bit format may have bits that this one lacks.
      if (std::isnan(v)) v = std::numeric_limits<double>::quiet_NaN();
    }
    return ref::io::make_tensor(output.name, dtype, output.shape, values);
  }

  const Case& c_;
  PlainArithmetic<float> a_;
  Sites& sites_;
  corpus::ScaleRounding scale_rounding_;
  bool reciprocal_;
  std::size_t block_size_;
  Op block_mutation_ = Op::none;
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
    if (ref::io::is_float(input.dtype) && ref::io::item_size(input.dtype) == 1)
      replace(read, c, input.name, tensors.read(input));
  std::vector<StoredTensor> written;
  for (const StoredTensor& output : run_plain(corpus::dequantize_inputs(c), read, style, sites))
    for (StoredTensor& own : tensors.write(output)) written.push_back(std::move(own));
  return written;
}

}  // namespace normproof::verification::golden::plain
