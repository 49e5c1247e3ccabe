#pragma once

#include <limits>
#include <vector>

namespace normproof::verification::studies::published {

/// What a step of power_norm shows of a norm layer, channel by channel.
struct BoundInputs {
  const std::vector<double>& gamma;
  const std::vector<double>& big_gamma;       ///< mean(x_hat^2)
  const std::vector<double>& rstd;            ///< 1 / sqrt(psi^2 + eps), of the psi that divides
  const std::vector<double>& grad_x_squared;  ///< means over the rows that count
  const std::vector<double>& grad_y_squared;  ///< likewise
};

/// The bound on PowerNorm's gradient before the division by psi, over the steps of a norm layer.
///
/// Source    docs/specification/study.md
/// Computes  with X' = grad_x / rstd and g = gamma grad_y, of each channel in which every earlier
///           (1 - alpha) Gamma was at most 1 and every Gamma positive, rms(X') and the bound
///           G (1 + sqrt(Gamma_t / c)), G the largest rms(g) and c the least Gamma of the steps
///           until now
class GradientBound {
 public:
  struct Found {
    double channels = 0;  ///< in which the bound's premises hold
    double seen = 0;      ///< the largest rms(X') of them
    double bound = 0;     ///< the largest bound
    double share = 0;     ///< the largest quotient of the two, at most 1
  };

  /// One more step. `new_weight` is 1 - alpha_backward.
  /// Returns  zeros where no channel is such a one
  Found add(const BoundInputs& step, double new_weight);

 private:
  /// What the steps have shown of a channel.
  struct Channel {
    double largest_gradient = 0;
    double least_gamma = std::numeric_limits<double>::infinity();
    bool holds = true;
  };
  std::vector<Channel> channels_;
};

}  // namespace normproof::verification::studies::published
