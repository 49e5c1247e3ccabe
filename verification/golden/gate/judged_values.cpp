#include "verification/golden/gate/judged_values.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ref/numeric/operation_error.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::gate {

using certify::StoredCase;
using corpus::find;
using corpus::OutputScaling;
using corpus::scale_name;
using ref::io::StoredTensor;
using ref::numeric::exact_power_of_two;
using ref::numeric::FloatFormat;

namespace {

constexpr const char* kScaleOfY = "y_scale";
constexpr int kMaxScaleExponent = 127;
constexpr double kFloat32Roundoff = 0x1p-24;
constexpr double kMaxBlockScale = 448;  // the largest number of e4m3

/// Returns the scales in an output, or nothing if it has none of the expected shape.
std::optional<std::vector<double>> find_scales(const StoredCase& stored,
                                               const std::vector<StoredTensor>& answer) {
  const StoredTensor* const given = find(answer, kScaleOfY);
  if (given == nullptr || given->shape != find(stored.expected, kScaleOfY)->shape)
    return std::nullopt;
  return ref::io::widen(*given);
}

/// Returns the certified scales of the blocks or groups of y, times the scale of the tensor.
std::vector<double> certified_scales(const StoredCase& stored) {
  std::vector<double> scales = ref::io::widen(*find(stored.expected, kScaleOfY));
  const double of_tensor = corpus::tensor_scale(stored.description.c, "y");
  for (double& scale : scales) scale *= of_tensor;
  return scales;
}

/// The magnitude of the largest element of each block, and its least and largest value within the
/// error bounds of the elements.
struct Magnitudes {
  std::vector<double> exact, least, most;
};

/// Returns the magnitudes of the blocks of y. `quotient_error` is the relative error that they may
/// have in addition.
Magnitudes find_magnitudes(const StoredCase& stored, const tolerance::Tolerance& bounds,
                           double quotient_error) {
  const StoredTensor& y = *find(stored.expected, "y");
  const std::vector<double> scales = certified_scales(stored);
  const corpus::ScaleBlocks blocks = corpus::scale_blocks_of_y(stored.description.c, y.shape);
  const certify::ExactValues values = certify::exact_values(stored, "y");
  const auto& bound = bounds.bound.at("y");
  const std::vector<double> none(scales.size(), 0);
  Magnitudes found{none, none, none};
  for (std::size_t i = 0; i < values.high.size(); ++i) {
    constexpr double kSlack = 0x1p-50;  // covers the rounding errors of the sums below
    const std::size_t block = blocks.index(i);
    const double magnitude = std::fabs(values.high[i] + values.low[i]) * scales[block];
    const double off = bound.data()[i] + (kSlack + quotient_error) * magnitude;
    found.least[block] = std::max(found.least[block], magnitude - off);
    found.most[block] = std::max(found.most[block], magnitude + off);
    found.exact[block] = std::max(found.exact[block], magnitude);
  }
  return found;
}

const FloatFormat& format_of_y(const StoredCase& stored) {
  return float_format_info(*ref::io::float_type(find(stored.expected, "y")->dtype));
}

/// Returns the expected block scales and their bounds. The conventions allow each scale between
/// those of the smallest and of the largest magnitude that a block may have. The bound is the
/// distance to the allowed scale that is farthest on the side of the scale in the output.
JudgedValues judged_block_scales(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                 const tolerance::Tolerance& bounds) {
  JudgedValues judged;
  const FloatFormat& format = format_of_y(stored);
  const std::vector<double> scales = ref::io::widen(*find(stored.expected, kScaleOfY));
  judged.low.assign(scales.size(), 0);
  judged.input_sensitivity = judged.low;
  const Magnitudes magnitudes =
      find_magnitudes(stored, bounds, corpus::quotient_error(bounds.scale_rounding));
  const auto scale_for = [&](double magnitude) {
    return exact_power_of_two(
        corpus::find_scale_exponent(magnitude, format, bounds.scale_rounding));
  };
  const std::optional<std::vector<double>> given = find_scales(stored, answer);
  for (std::size_t b = 0; b < scales.size(); ++b) {
    const bool is_floor = bounds.scale_rounding == corpus::ScaleRounding::floor;
    const double scale = is_floor ? scales[b] : scale_for(magnitudes.exact[b]);
    judged.high.push_back(scale);
    if (!(magnitudes.least[b] > 0))
      judged.bound.push_back(exact_power_of_two(kMaxScaleExponent));
    else if (given && (*given)[b] < scale)
      judged.bound.push_back(scale - scale_for(magnitudes.least[b]));
    else
      judged.bound.push_back(scale_for(magnitudes.most[b]) - scale);
  }
  return judged;
}

/// The relative error of M / largest / of_tensor in float32: two quotients, or products with
/// reciprocals that are quotients.
constexpr double kErrorOfTwoQuotients = 4 * ref::numeric::kMaxOperationError * kFloat32Roundoff;
/// Kernels differ in the least scale of a block: 0, the smallest number of e4m3, or the smallest
/// normal one.
constexpr double kMaxMinScale = 0x1p-6;

/// Returns the expected scales of the blocks of nvfp4 and their bounds: the distance to the scale
/// that is farthest among those of the magnitudes within the error bounds. The convention allows
/// each number of e4m3 for a block that may consist of zeros.
JudgedValues judged_tensor_block_scales(const StoredCase& stored,
                                        const std::vector<StoredTensor>& answer,
                                        const tolerance::Tolerance& bounds) {
  JudgedValues judged;
  judged.high = ref::io::widen(*find(stored.expected, kScaleOfY));
  judged.low.assign(judged.high.size(), 0);
  judged.input_sensitivity = judged.low;
  const FloatFormat& format = format_of_y(stored);
  const double of_tensor = corpus::tensor_scale(stored.description.c, "y");
  const Magnitudes magnitudes = find_magnitudes(stored, bounds, kErrorOfTwoQuotients);
  const auto scale_for = [&](double magnitude) {
    return corpus::find_tensor_block_scale(magnitude, of_tensor, format);
  };
  const std::optional<std::vector<double>> given = find_scales(stored, answer);
  for (std::size_t b = 0; b < judged.high.size(); ++b) {
    const double scale = judged.high[b];
    const bool is_small = magnitudes.least[b] < kMaxMinScale * format.largest * of_tensor;
    const double least = is_small ? 0 : scale_for(magnitudes.least[b]);
    const double most = std::max(scale_for(magnitudes.most[b]), is_small ? kMaxMinScale : 0.0);
    if (!(magnitudes.least[b] > 0))
      judged.bound.push_back(kMaxBlockScale);
    else
      judged.bound.push_back(given && (*given)[b] < scale ? scale - least : most - scale);
  }
  return judged;
}

/// Returns the expected float32 scales of groups and their bounds: the error of the magnitude, of
/// the quotient by the largest number, and of storing the scale. Any scale is right for a group
/// that may consist of zeros, so that 0 is expected, unless the case has a least scale. Scales that
/// are powers of two are judged as those of blocks.
JudgedValues judged_group_scales(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                 const tolerance::Tolerance& bounds) {
  const certify::ExactValues exact = certify::exact_values(stored, kScaleOfY);
  JudgedValues judged{exact.high, exact.low, {}, std::vector<double>(exact.high.size(), 0)};
  const corpus::ScaleLimits limits = corpus::scale_limits(stored.description.c);
  const FloatFormat& format = format_of_y(stored);
  const bool are_powers = limits.are_powers_of_two;
  const Magnitudes magnitudes = find_magnitudes(
      stored, bounds, are_powers ? corpus::quotient_error(corpus::ScaleRounding::up) : 0);
  const auto scale_for = [&](double magnitude) { return limits.find_scale(magnitude, format); };
  const std::optional<std::vector<double>> given = find_scales(stored, answer);
  const DType dtype = find(answer, kScaleOfY)->dtype;
  for (std::size_t g = 0; g < judged.high.size(); ++g) {
    if (!(magnitudes.least[g] > 0) && limits.least == 0) {
      judged.high[g] = judged.low[g] = 0;
      judged.bound.push_back(exact_power_of_two(kMaxScaleExponent));
      continue;
    }
    const double scale = judged.high[g], most = scale_for(magnitudes.most[g]);
    if (are_powers) {
      const bool is_below = given && (*given)[g] < scale;
      judged.bound.push_back(is_below ? scale - scale_for(magnitudes.least[g]) : most - scale);
      continue;
    }
    const double bound = std::max(most - scale, scale - scale_for(magnitudes.least[g])) +
                         ref::numeric::kMaxOperationError * kFloat32Roundoff * most;
    judged.bound.push_back(
        tolerance::with_storage_rounding(bound, scale, judged.low[g], dtype, bounds.flushes));
  }
  return judged;
}

/// Returns one ratio per block: the scale in the certified output divided by the candidate's scale.
/// The ratio is 1 if the candidate's scale is absent or invalid. It is infinite for a scale of 0 of
/// a block of nvfp4, whose elements are then 0 whatever their bits are.
std::vector<double> scale_ratios(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                                 const std::vector<double>& expected) {
  std::vector<double> ratios(expected.size(), 1);
  const std::optional<std::vector<double>> scales = find_scales(stored, answer);
  if (!scales) return ratios;
  const Case& c = stored.description.c;
  const double of_tensor = corpus::tensor_scale(c, "y");
  const bool may_be_zero = corpus::output_scaling(c, "y") == OutputScaling::blocks_of_tensor;
  for (std::size_t b = 0; b < ratios.size(); ++b) {
    const double scale = (*scales)[b] * of_tensor;
    if ((scale > 0 && std::isfinite(scale)) || (scale == 0 && may_be_zero))
      ratios[b] = expected[b] / scale;
  }
  return ratios;
}

/// Divides the exact values and the bounds by the candidate's block scales. The results are in the
/// units in which the candidate stores the elements. The scale of a group is rounded, so that a
/// candidate may multiply by a reciprocal that it finds from the magnitude: its error is that of
/// the three operations that differ. For nvfp4 these are four: the product of both scales, the
/// reciprocal of each, and the product with y.
void apply_candidate_scales(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                            JudgedValues& judged) {
  const Case& c = stored.description.c;
  const std::vector<double> expected = certified_scales(stored);
  const std::vector<double> ratios = scale_ratios(stored, answer, expected);
  const corpus::ScaleBlocks blocks =
      corpus::scale_blocks_of_y(c, find(stored.expected, "y")->shape);
  const OutputScaling scaling = corpus::output_scaling(c, "y");
  const bool has_rounded_scales =
      scaling == OutputScaling::groups && !corpus::scale_limits(c).are_powers_of_two;
  const double quotients = has_rounded_scales                           ? 3
                           : scaling == OutputScaling::blocks_of_tensor ? 4
                                                                        : 0;
  const double quotient_error = quotients * ref::numeric::kMaxOperationError * kFloat32Roundoff;
  for (std::size_t i = 0; i < judged.high.size(); ++i) {
    const std::size_t block = blocks.index(i);
    if (std::isinf(ratios[block])) {
      judged.bound[i] = ratios[block];
      continue;
    }
    judged.high[i] *= ratios[block];
    judged.low[i] *= ratios[block];
    judged.bound[i] *= ratios[block] / expected[block];
    judged.bound[i] += quotient_error * std::fabs(judged.high[i] + judged.low[i]);
    judged.input_sensitivity[i] *= ratios[block] / expected[block];
  }
}

/// Replaces an exact value that is out of the range of an 8-bit format by the largest number. If
/// the element has no error before it is stored, replaces it by its rounded value and returns true.
/// A tie must then be rounded to even.
bool saturate_or_round(DType dtype, JudgedValues& judged, std::size_t i) {
  const FloatFormat& format = float_format_info(*ref::io::float_type(dtype));
  const double exact = judged.high[i] + judged.low[i];
  const bool is_known = judged.bound[i] == 0;
  if (!(std::fabs(exact) > format.largest) && !is_known) return false;
  judged.high[i] = is_known ? round_to(format, exact, ref::numeric::Overflow::saturate)
                            : std::copysign(format.largest, judged.high[i]);
  judged.low[i] = 0;
  return is_known;
}

}  // namespace

std::vector<double> widen_range(const StoredTensor& tensor, ElementRange range) {
  const std::size_t size = ref::io::item_size(tensor.dtype);
  if (range.begin == 0 && range.end * size == tensor.bytes.size()) return ref::io::widen(tensor);
  const auto at = [&](std::size_t i) {
    return tensor.bytes.begin() + static_cast<std::ptrdiff_t>(i * size);
  };
  return ref::io::widen(
      {tensor.name, tensor.dtype, {range.end - range.begin}, {at(range.begin), at(range.end)}});
}

bool is_judged_in_ranges(const StoredCase& stored, const std::string& name) {
  return !corpus::is_scaled(stored.description.c) && name != kScaleOfY;
}

JudgedValues compute_judged_values(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer, const std::string& name,
                                   const tolerance::Tolerance& bounds, ElementRange range) {
  if (!is_judged_in_ranges(stored, name))
    return compute_judged_values(stored, answer, name, bounds);
  JudgedValues judged{widen_range(*find(stored.expected, name), range), {}, {}, {}};
  const StoredTensor* const low = find(stored.expected, name + "_lo");
  judged.low =
      low == nullptr ? std::vector<double>(judged.high.size(), 0.0) : widen_range(*low, range);
  const double* const bound = bounds.bound.at(name).data();
  const double* const input_sensitivity = bounds.input_sensitivity.at(name).data();
  judged.bound.assign(bound + range.begin, bound + range.end);
  judged.input_sensitivity.assign(input_sensitivity + range.begin, input_sensitivity + range.end);
  const DType dtype = find(answer, name)->dtype;
  for (std::size_t i = 0; i < judged.high.size(); ++i)
    judged.bound[i] = tolerance::with_storage_rounding(judged.bound[i], judged.high[i],
                                                       judged.low[i], dtype, bounds.flushes);
  return judged;
}

JudgedValues compute_judged_values(const StoredCase& stored,
                                   const std::vector<StoredTensor>& answer, const std::string& name,
                                   const tolerance::Tolerance& bounds) {
  const corpus::Case& c = stored.description.c;
  if (corpus::stores_8_bits(c) && name == kScaleOfY) switch (corpus::output_scaling(c, "y")) {
      case OutputScaling::groups:
        return judged_group_scales(stored, answer, bounds);
      case OutputScaling::blocks_of_tensor:
        return judged_tensor_block_scales(stored, answer, bounds);
      default:
        return judged_block_scales(stored, answer, bounds);
    }
  certify::ExactValues exact = certify::exact_values(stored, name);
  JudgedValues judged{std::move(exact.high), std::move(exact.low), {}, {}};
  const auto& bound = bounds.bound.at(name);
  const auto& input_sensitivity = bounds.input_sensitivity.at(name);
  judged.bound.assign(bound.begin(), bound.end());
  judged.input_sensitivity.assign(input_sensitivity.begin(), input_sensitivity.end());
  const OutputScaling scaling = corpus::output_scaling(c, name);
  if (corpus::has_found_scales(scaling)) apply_candidate_scales(stored, answer, judged);
  const DType dtype = find(answer, name)->dtype;
  const bool saturates = scaling != OutputScaling::none && corpus::has_8_bits(dtype);
  for (std::size_t i = 0; i < judged.high.size(); ++i) {
    if (saturates && saturate_or_round(dtype, judged, i)) continue;
    judged.bound[i] = tolerance::with_storage_rounding(judged.bound[i], judged.high[i],
                                                       judged.low[i], dtype, bounds.flushes);
  }
  return judged;
}

}  // namespace normproof::verification::golden::gate
