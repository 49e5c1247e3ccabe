#pragma once

#include <vector>

#include "verification/claims/claim.hpp"

namespace normproof::verification::claims {

/// What one step of a PlainChannel shows.
struct PlainMoment {
  std::vector<double> grad_x;
  double rstd = 0;
  double nu = 0;     ///< after the step; ema_gz where the state is scaled
  double Gamma = 0;  ///< mean_x_hat_squared
};

/// One channel of power_norm or power_norm_released in double, step by step: for long runs, whose
/// figures illustrate a claim and decide nothing.
class PlainChannel {
 public:
  PlainChannel(const Subject& subject, const NormOptions& options);

  PlainMoment step(const std::vector<double>& x, const std::vector<double>& grad_y,
                   const std::vector<bool>& valid = {});

  double running_psi2() const { return state_.at("running_psi2").data()[0]; }
  double nu() const { return state_.at("nu").data()[0]; }

 private:
  Subject subject_;
  NormOptions options_;
  NamedTensors<double> state_;
};

}  // namespace normproof::verification::claims
