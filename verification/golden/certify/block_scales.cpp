#include "verification/golden/certify/block_scales.hpp"

#include <algorithm>

#include "ref/numeric/arb.hpp"
#include "verification/golden/certify/nearest.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::certify {

using ref::numeric::ball;

namespace {

/// The maximum of several nonnegative numbers.
class RunningMaximum {
 public:
  RunningMaximum() { arf_init(value_); }
  RunningMaximum(const RunningMaximum& other) : RunningMaximum() { arf_set(value_, other.value_); }
  RunningMaximum& operator=(const RunningMaximum&) = delete;
  ~RunningMaximum() { arf_clear(value_); }

  arf_ptr get() { return value_; }
  void include(arf_srcptr v) {
    if (arf_cmp(value_, v) < 0) arf_set(value_, v);
  }
  bool is_zero() const { return arf_is_zero(value_) != 0; }
  /// Returns floor(log2(m)) for the maximum m.
  /// Requires  not is_zero()
  int exponent() const { return static_cast<int>(fmpz_get_si(ARF_EXPREF(value_))) - 1; }

 private:
  arf_t value_;
};

/// The bounds of the largest magnitude of each block.
struct Magnitudes {
  std::vector<RunningMaximum> least, most;
};

Magnitudes enclose_magnitudes(const std::vector<ball>& values, const corpus::ScaleBlocks& blocks) {
  Magnitudes found{std::vector<RunningMaximum>(blocks.count()),
                   std::vector<RunningMaximum>(blocks.count())};
  RunningMaximum bound;
  const slong digits = 2 * ball::precision() + 64;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t block = blocks.index(i);
    arb_get_abs_lbound_arf(bound.get(), values[i].get(), digits);
    found.least[block].include(bound.get());
    arb_get_abs_ubound_arf(bound.get(), values[i].get(), digits);
    found.most[block].include(bound.get());
  }
  return found;
}

/// Returns the number, but at most `upper` and at least `lower`.
void clamp(arf_ptr number, double lower, double upper) {
  if (arf_cmp_d(number, upper) > 0) arf_set_d(number, upper);
  if (arf_cmp_d(number, lower) < 0) arf_set_d(number, lower);
}

/// Returns the smallest enclosure of both numbers.
ball hull(arf_srcptr least, arf_srcptr most) {
  ball all(0);
  arb_set_interval_arf(all.get(), least, most, 2 * ball::precision() + 64);
  return all;
}

}  // namespace

std::optional<std::vector<double>> tensor_block_scales(const std::vector<ball>& values,
                                                       const corpus::ScaleBlocks& blocks,
                                                       const ref::numeric::FloatFormat& format,
                                                       double of_tensor) {
  Magnitudes found = enclose_magnitudes(values, blocks);
  std::vector<double> scales;
  for (std::size_t b = 0; b < found.least.size(); ++b) {
    const ball magnitude = hull(found.least[b].get(), found.most[b].get());
    const std::optional<NearestNumber> scale =
        nearest(magnitude / ball(format.largest) / ball(of_tensor), ref::io::DType::float8_e4m3fn,
                ref::numeric::Overflow::saturate);
    if (!scale) return std::nullopt;
    scales.push_back(std::max(scale->value, corpus::kMinScaleOfTensorBlock));
  }
  return scales;
}

std::optional<GroupScales> group_scales(const std::vector<ball>& values,
                                        const corpus::ScaleBlocks& blocks,
                                        const ref::numeric::FloatFormat& format,
                                        const corpus::ScaleLimits& limits) {
  Magnitudes found = enclose_magnitudes(values, blocks);
  GroupScales scales;
  for (std::size_t b = 0; b < found.least.size(); ++b) {
    if (found.most[b].is_zero() && limits.least == 0) {
      scales.value.push_back(1);
      scales.remainder.push_back(0);
      continue;
    }
    arf_ptr const least = found.least[b].get();
    arf_ptr const most = found.most[b].get();
    // Both limits are exact, and so is the least scale times the largest number of the format.
    clamp(least, limits.least * format.largest, limits.upper);
    clamp(most, limits.least * format.largest, limits.upper);
    if (limits.are_powers_of_two) {
      // Rounded down and up, the ends still enclose the magnitude.
      const double scale = limits.find_scale(arf_get_d(least, ARF_RND_DOWN), format);
      if (scale != limits.find_scale(arf_get_d(most, ARF_RND_UP), format)) return std::nullopt;
      scales.value.push_back(scale);
      scales.remainder.push_back(0);
      continue;
    }
    const ball scale = hull(least, most) / ball(format.largest);
    const std::optional<NearestNumber> value = nearest(scale, ref::io::DType::float32);
    if (!value) return std::nullopt;
    const std::optional<NearestNumber> rest =
        nearest(scale - ball(value->value), ref::io::DType::float64);
    if (!rest) return std::nullopt;
    scales.value.push_back(value->value);
    scales.remainder.push_back(rest->value);
  }
  return scales;
}

std::optional<std::vector<double>> block_scales(const std::vector<ball>& values,
                                                const corpus::ScaleBlocks& blocks,
                                                const ref::numeric::FloatFormat& format) {
  Magnitudes found = enclose_magnitudes(values, blocks);
  std::vector<RunningMaximum>&least = found.least, &most = found.most;
  std::vector<double> scales;
  for (std::size_t b = 0; b < least.size(); ++b) {
    if (most[b].is_zero()) {
      scales.push_back(
          ref::numeric::exact_power_of_two(corpus::block_scale_exponent(-2000, format)));
      continue;
    }
    if (least[b].is_zero() || least[b].exponent() != most[b].exponent()) return std::nullopt;
    scales.push_back(ref::numeric::exact_power_of_two(
        corpus::block_scale_exponent(least[b].exponent(), format)));
  }
  return scales;
}

}  // namespace normproof::verification::golden::certify
