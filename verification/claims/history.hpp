#pragma once

#include "verification/claims/generators.hpp"
#include "verification/claims/power_norm_channel.hpp"

namespace normproof::verification::claims {

/// What one channel of a PowerNorm lives through: batch after batch, with the gradients that come
/// back, and the state before the first.
struct History {
  std::vector<std::vector<double>> x, grad_y;  ///< step by step, row by row
  std::vector<bool> valid;                     ///< the same rows in each step, or empty: all
  double gamma = 1;
  double psi2 = 1;  ///< running_psi2 before the first step
  double nu = 0;    ///< likewise (ema_gz where the state is scaled)
  double alpha_forward = 0.5;
  double alpha_backward = 0.5;
  double eps = 0;
  std::int64_t warmup_iterations = 0;

  std::size_t steps() const { return x.size(); }
  std::size_t rows() const { return x.front().size(); }
  bool is_valid(std::size_t row) const { return valid.empty() || valid[row]; }

  ref::model::PowerNormOptions paper() const;
  /// Every switch as released, but no group scaling.
  ref::model::PowerNormReleasedOptions released() const;
};

struct HistoryKind {
  std::size_t least_steps = 1, most_steps = 12;
  std::size_t least_rows = 1, most_rows = 4;
  bool padded = false;        ///< one or two rows more, which are padding
  bool one_alpha = false;     ///< forward and backward alike
  bool repeated = false;      ///< every step has the batch and the gradient of the first
  bool start = true;          ///< any state at the start; otherwise 1 and 0
  bool warmup = false;        ///< warmup_iterations from 0 to steps + 2; otherwise 0
  bool zero_eps = false;      ///< eps = 0; where it is, no step has all valid rows 0
  bool positive_eps = false;  ///< eps > 0; otherwise eps may be 0 or not
};

/// Histories of many kinds: steady, drifting and erratic scales, with offsets, gradients along x or
/// not. They shrink by dropping steps and rows and to simpler numbers, within the kind.
rc::Gen<History> histories(const HistoryKind& kind);
/// The same, where `accept` must be true of the histories and of all that they shrink to.
rc::Gen<History> histories(const HistoryKind& kind,
                           const std::function<bool(const History&)>& accept);

/// The numbers of one step, as PowerNormChannel takes them.
PowerNormChannel::Row row_of(const std::vector<double>& values);

/// The channel before the first step of the history.
template <class Options>
PowerNormChannel channel_of(const Subject& subject, const Options& options, const History& h) {
  PowerNormChannel channel(subject, options);
  channel.set_gamma(h.gamma);
  channel.set_running_psi2(h.psi2);
  channel.set_nu(Bounded(h.nu));
  return channel;
}

/// w e, w = 1 - alpha_backward: a state nu of the released code in the units of the paper's.
Bounded unscaled(const History& h, const Bounded& e);

/// The paper's channel that starts where the released one does.
PowerNormChannel paper_channel(const Subject& subject, const History& h);

/// Every step of the history.
std::vector<Moment> play(PowerNormChannel channel, const History& h);

/// "alpha = 0.9, eps = 1e-05, psi^2_0 = 1, nu_0 = 0; step 1: x = (1, 2), g = (0, 1); ..."; the
/// first and the last steps of a long one.
std::string show(const History& h);

}  // namespace normproof::verification::claims
