#include "verification/golden/certify/condition.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ref/model/norm_layers.hpp"
#include "ref/numeric/square_root.hpp"
#include "verification/checks/evaluation/layouts.hpp"

namespace normproof::verification::golden::certify {

using corpus::case_folder;
using recipes::inputs_of;
using ref::model::Mode;
using ref::norm::NormInputs;

namespace {

/// Describes the slices of x that a layer centers. A slice is a set of elements from which the same
/// mean is subtracted. x has the shape [B,T,D], or [N,D] with one row per sample.
struct CenteredSlices {
  /// Whether one slice contains elements of all samples, and whether it contains elements of all
  /// tokens.
  bool spans_samples = false, over_tokens = false;
  std::size_t width = 1;  ///< number of consecutive features in a slice
  bool masked = false;
  double eps = 0;
};

/// Returns the slices that the layer centers, or nothing if it does not subtract a mean.
std::optional<CenteredSlices> find_centered_slices(const ref::model::NormOptions& options,
                                                   std::size_t d_model) {
  using ref::model::Partition;
  for (const ref::model::NormPartition& cells : ref::model::norm_layer(options).cells) {
    if (!cells.centred) continue;
    const double eps = ref::model::number_option(options, cells.eps).value();
    const auto groups =
        static_cast<std::size_t>(ref::model::count_option(options, "groups").value_or(1));
    switch (cells.partition) {
      case Partition::row:
        return CenteredSlices{false, false, d_model, false, eps};
      case Partition::row_group:
        return CenteredSlices{false, false, d_model / groups, false, eps};
      case Partition::channel:
        return CenteredSlices{true, true, 1, true, eps};
      case Partition::sample_channel:
        return CenteredSlices{false, true, 1, true, eps};
      case Partition::sample_group:
        return CenteredSlices{false, true, d_model / groups, true, eps};
    }
  }
  return std::nullopt;
}

double largest_condition_number(const NormInputs<double>& in, const CenteredSlices& slices) {
  const auto& shape = in.x.shape();
  const std::size_t d_model = shape.back();
  const std::size_t samples = shape[0], tokens = shape.size() == 3 ? shape[1] : 1;
  const std::size_t groups = d_model / slices.width;
  struct RunningMoments {
    double count = 0, mean = 0, squares = 0;
  };
  std::vector<RunningMoments> moments((slices.spans_samples ? 1 : samples) *
                                      (slices.over_tokens ? 1 : tokens) * groups);
  // Welford's recurrence needs one pass and avoids cancellation.
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const std::size_t row = i / d_model, sample = row / tokens, token = row % tokens;
    const double x = in.x.data()[i];
    const bool counts = !slices.masked || !ref::tensor::is_given(in.valid) || in.valid.data()[row];
    if (!counts || !std::isfinite(x)) continue;
    const std::size_t line =
        (slices.spans_samples ? 0 : sample) * (slices.over_tokens ? 1 : tokens) +
        (slices.over_tokens ? 0 : token);
    RunningMoments& m = moments[line * groups + i % d_model / slices.width];
    m.count += 1;
    const double before = x - m.mean;
    m.mean += before / m.count;
    m.squares += before * (x - m.mean);
  }
  double largest = 1;
  for (const RunningMoments& m : moments) {
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
  // No slice has rows of two blocks.
  if (const RowBlocks blocks(c); blocks.count() > 1) {
    for (std::size_t i = 0; i < blocks.count(); ++i)
      largest = std::max(largest, condition_number(blocks.block(i)));
    return largest;
  }
  checks::evaluation::EvalInputs inputs = inputs_of(c, case_folder(c));
  for (auto& step : inputs.steps) {
    step.x = checks::evaluation::convert_to_rows(ref::model::norm_layout(*layer), step.x);
    const auto slices = find_centered_slices(*layer, step.x.shape().back());
    if (slices) largest = std::max(largest, largest_condition_number(step, *slices));
  }
  return largest;
}

}  // namespace normproof::verification::golden::certify
