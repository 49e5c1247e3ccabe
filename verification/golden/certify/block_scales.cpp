#include "verification/golden/certify/block_scales.hpp"

#include "ref/numeric/arb.hpp"
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

}  // namespace

std::optional<std::vector<double>> block_scales(const std::vector<ball>& values,
                                                std::size_t d_model,
                                                const ref::numeric::FloatFormat& format) {
  const std::size_t blocks =
      values.empty() ? 0 : corpus::block_index(values.size() - 1, d_model) + 1;
  std::vector<RunningMaximum> least(blocks), most(blocks);
  RunningMaximum bound;
  const slong digits = 2 * ball::precision() + 64;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t block = corpus::block_index(i, d_model);
    arb_get_abs_lbound_arf(bound.get(), values[i].get(), digits);
    least[block].include(bound.get());
    arb_get_abs_ubound_arf(bound.get(), values[i].get(), digits);
    most[block].include(bound.get());
  }
  std::vector<double> scales;
  for (std::size_t b = 0; b < blocks; ++b) {
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
