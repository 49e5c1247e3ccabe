#pragma once

#include <vector>

#include "verification/claims/bounded.hpp"

namespace normproof::verification::claims {

/// What one training step of one channel shows, row by row or as a statistic. The values are the
/// subject's, the errors what rounding at 50 digits may have done to a subject that follows
/// docs/specification/norms.md.
struct Moment {
  std::vector<Bounded> x_hat;
  std::vector<Bounded> remainder;  ///< X~' = g - nu x_hat, line 6 of Algorithm 2
  std::vector<Bounded> grad_x;
  Bounded rstd;            ///< 1 / sqrt(psi^2 + eps) that produced x_hat
  Bounded divisor;         ///< the one that multiplies X~': rstd, or the batch's (released)
  Bounded quadratic_mean;  ///< psi_B^2
  Bounded Gamma, Lambda;
  Bounded running_psi2;  ///< after the step
  Bounded nu;            ///< after the step; ema_gz where the state is scaled
};

/// One channel of power_norm or power_norm_released (without group scaling), run step by step
/// through the subject at 50 digits, state in and state out, with the bounds beside it.
class PowerNormChannel {
 public:
  using Row = std::vector<oracle50>;

  PowerNormChannel(const Subject& subject, const ref::model::PowerNormOptions& options);
  PowerNormChannel(const Subject& subject, const ref::model::PowerNormReleasedOptions& options);

  /// Forward and backward. x and grad_y have one number a row; valid likewise, or empty: all.
  Moment step(const Row& x, const Row& grad_y, const std::vector<bool>& valid = {});

  const Bounded& running_psi2() const { return running_psi2_; }
  const Bounded& nu() const { return nu_; }
  /// sqrt(running_psi2 + eps): x = x_hat * scale() makes the next step (after warm-up) see x_hat.
  oracle50 scale() const;

  void set_running_psi2(const Bounded& value) { running_psi2_ = value; }
  void set_nu(const Bounded& value) { nu_ = value; }
  void set_gamma(double value) { gamma_ = value; }

 private:
  Moment specified(const Row& x, const Row& grad_y, const std::vector<bool>& valid) const;

  Subject subject_;
  NormOptions options_;
  ref::model::PowerNormReleasedOptions described_;  ///< the paper: every switch off
  Bounded running_psi2_ = 1;
  Bounded nu_ = 0;
  double gamma_ = 1;
  std::int64_t iterations_ = 0;
};

/// grad_x of power_norm_v for one channel: the exact backward with the batch's own psi. Values and
/// errors as in Moment.
std::vector<Bounded> power_norm_v_gradient(const Subject& subject, const PowerNormChannel::Row& x,
                                           const PowerNormChannel::Row& grad_y, double gamma,
                                           double eps);

}  // namespace normproof::verification::claims
