#pragma once

#include <limits>
#include <vector>

namespace normproof::verification::studies::published {

/// The values of one power_norm layer in one training step. Each vector has one number per channel.
struct BoundInputs {
  const std::vector<double>& gamma;
  const std::vector<double>& big_gamma;  ///< the statistic Gamma, the mean of x_hat^2
  /// `1 / sqrt(psi^2 + eps)`, where psi^2 is the running mean square by which this step normalizes
  const std::vector<double>& rstd;
  const std::vector<double>& grad_x_squared;  ///< mean of grad_x^2 over the valid rows
  const std::vector<double>& grad_y_squared;  ///< mean of grad_y^2 over the valid rows
};

/// Computes, step by step, an upper bound on the gradient of a power_norm layer, and compares the
/// gradient with the bound.
///
/// Source    docs/specification/study.md
/// Computes  for each channel, the root mean square of `X' = grad_x / rstd`, which is the gradient
///           before the division by psi, and its bound `G (1 + sqrt(Gamma_t / c))`. Gamma_t is
///           Gamma in step t. G is the maximum of rms(g) with `g = gamma grad_y`, and c is the
///           minimum of Gamma, where maximum and minimum are taken over the steps up to step t.
///           The bound applies to a channel if Gamma was positive in all these steps, and if (1 -
///           alpha_backward) Gamma was at most 1 in all earlier steps
class GradientBound {
 public:
  struct ChannelMaxima {
    double channels = 0;  ///< number of channels to which the bound applies
    double seen = 0;      ///< maximum of rms(X') over these channels
    double bound = 0;     ///< maximum of the bound over these channels
    double share = 0;     ///< maximum of `rms(X') / bound` over these channels, at most 1
  };

  /// Adds a training step. `new_weight` is 1 - alpha_backward.
  /// Returns   the values of this step, or zeros if the bound applies to no channel
  ChannelMaxima add(const BoundInputs& step, double new_weight);

 private:
  /// The values of a channel over all steps that were added.
  struct ChannelHistory {
    double largest_gradient = 0;
    double least_gamma = std::numeric_limits<double>::infinity();
    bool holds = true;
  };
  std::vector<ChannelHistory> channels_;
};

}  // namespace normproof::verification::studies::published
