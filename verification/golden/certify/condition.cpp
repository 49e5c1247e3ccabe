#include "verification/golden/certify/condition.hpp"

#include <algorithm>
#include <cmath>

#include "ref/numeric/square_root.hpp"

namespace normproof::verification::golden::certify {

using corpus::inputs_of;
using corpus::path_of;
using ref::model::Mode;
using ref::norm::NormInputs;

namespace {

/// How the layer cuts x [B,T,D] (or [N,D], a sample a row) into the slices that it centres.
struct CentredSlices {
  bool over_samples = false, over_tokens = false;  ///< else a slice has one sample, one token
  std::size_t width = 1;                           ///< consecutive features
  bool masked = false;
  double eps = 0;
};

struct CentredSlicesOf {
  std::size_t d_model;

  CentredSlices operator()(const ref::model::LayerNormOptions& o) const {
    return {false, false, d_model, false, o.eps};
  }
  CentredSlices operator()(const ref::model::BatchNormOptions& o) const {
    return {true, true, 1, true, o.eps};
  }
  CentredSlices operator()(const ref::model::BatchRenormOptions& o) const {
    return {true, true, 1, true, o.eps};
  }
  CentredSlices operator()(const ref::model::InstanceNormOptions& o) const {
    return {false, true, 1, true, o.eps};
  }
  CentredSlices operator()(const ref::model::GroupNormOptions& o) const {
    return {false, true, d_model / static_cast<std::size_t>(o.groups), true, o.eps};
  }
  template <class Other>
  CentredSlices operator()(const Other&) const {
    return {.width = 0};
  }
};

double largest_condition(const NormInputs<double>& in, const CentredSlices& slices) {
  const auto& shape = in.x.shape();
  const std::size_t d_model = shape.back();
  const std::size_t samples = shape[0], tokens = shape.size() == 3 ? shape[1] : 1;
  const std::size_t groups = d_model / slices.width;
  struct Moments {
    double count = 0, mean = 0, squares = 0;
  };
  std::vector<Moments> moments((slices.over_samples ? 1 : samples) *
                               (slices.over_tokens ? 1 : tokens) * groups);
  // Welford's recurrence: one pass, and no cancellation.
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const std::size_t row = i / d_model, sample = row / tokens, token = row % tokens;
    const double x = in.x.data()[i];
    const bool counts = !slices.masked || !ref::tensor::is_given(in.valid) || in.valid.data()[row];
    if (!counts || !std::isfinite(x)) continue;
    const std::size_t line =
        (slices.over_samples ? 0 : sample) * (slices.over_tokens ? 1 : tokens) +
        (slices.over_tokens ? 0 : token);
    Moments& m = moments[line * groups + i % d_model / slices.width];
    m.count += 1;
    const double before = x - m.mean;
    m.mean += before / m.count;
    m.squares += before * (x - m.mean);
  }
  double largest = 1;
  for (const Moments& m : moments) {
    const double variance = m.count > 0 ? m.squares / m.count : 0;
    const double q = variance + slices.eps;
    if (m.count > 0 && q > 0)
      largest = std::max(largest, ref::numeric::square_root((m.mean * m.mean + variance) / q));
  }
  return largest;
}

}  // namespace

double condition_number(const Case& c) {
  double largest = 1;
  const auto* const layer = std::get_if<ref::model::NormOptions>(&c.options);
  if (layer == nullptr || c.mode == Mode::inference) return largest;
  const evaluation::EvalInputs inputs = inputs_of(c, path_of(c));
  for (const auto& step : inputs.steps) {
    const CentredSlices slices = std::visit(CentredSlicesOf{step.x.shape().back()}, *layer);
    if (slices.width > 0) largest = std::max(largest, largest_condition(step, slices));
  }
  return largest;
}

}  // namespace normproof::verification::golden::certify
