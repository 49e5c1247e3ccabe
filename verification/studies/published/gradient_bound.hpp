#pragma once

#include <limits>
#include <vector>

namespace normproof::verification::studies::published {

/// The values of a norm layer in one step with power_norm, per channel.
struct BoundInputs {
  const std::vector<double>& gamma;
  const std::vector<double>& big_gamma;  ///< mean(x_hat^2)
  /// 1 / sqrt(psi^2 + eps), with the psi that divides in this step
  const std::vector<double>& rstd;
  const std::vector<double>& grad_x_squared;  ///< mean over the valid rows
  const std::vector<double>& grad_y_squared;  ///< mean over the valid rows
};

/// Accumulates the bound on PowerNorm's gradient before the division by psi, over the steps of a
/// norm layer.
///
/// Source    docs/specification/study.md
/// Computes  with X' = grad_x / rstd and g = gamma grad_y, per channel: rms(X') and its bound G (1
///           + sqrt(Gamma_t / c)), where G is the maximum of rms(g) and c the minimum of Gamma over
///           the steps so far. Only channels count in which every earlier (1 - alpha) Gamma was at
///           most 1 and every Gamma was positive
class GradientBound {
 public:
  struct Found {
    double channels = 0;  ///< number of channels that satisfy the bound's premises
    double seen = 0;      ///< maximum of rms(X') over these channels
    double bound = 0;     ///< maximum of the bound over these channels
    double share = 0;     ///< maximum of rms(X') / bound over these channels, at most 1
  };

  /// Adds a step. `new_weight` is 1 - alpha_backward.
  /// Returns   the values after the step; zeros if no channel satisfies the premises
  Found add(const BoundInputs& step, double new_weight);

 private:
  /// The history of a channel.
  struct Channel {
    double largest_gradient = 0;
    double least_gamma = std::numeric_limits<double>::infinity();
    bool holds = true;
  };
  std::vector<Channel> channels_;
};

}  // namespace normproof::verification::studies::published
