#pragma once

#include "verification/checks/oracle/gradients.hpp"

namespace normproof::verification::checks::oracle {

/// The results of PowerNorm's approximate backward. grad_x is not a derivative. The other members
/// are the statistics and the state that this backward computes.
struct PowerNormBackward {
  Tensor<oracle100> grad_x;
  Tensor<oracle100> mean_x_hat_squared;  ///< Gamma
  Tensor<oracle100> mean_g_x_hat;        ///< Lambda
  Tensor<oracle100> nu;                  ///< the state after the step
};

/// The training backward of power_norm, computed from the history of its state nu. Let g = gamma
/// grad_y. The outgoing gradient is g - nu x_hat. Its product with x_hat, averaged over the valid
/// rows, is added to nu with the weight 1 - alpha:
///   nu_t = nu_(t-1) + (1 - alpha) mean((g - nu_(t-1) x_hat) x_hat).
/// This equals the form in the paper, nu (1 - (1 - alpha) Gamma) + (1 - alpha) Lambda, with Gamma =
/// mean(x_hat^2) and Lambda = mean(g x_hat).
/// Source    docs/derivations/norms.md, section 6
PowerNormBackward power_norm_backward(const ref::model::PowerNormOptions& options,
                                      const OracleInputs& inputs, const Tensor<oracle100>& gamma,
                                      const Evaluation<oracle100>& evaluation,
                                      const NamedTensors<oracle100>& state);

/// The training backward of power_norm_released, computed from the history of its state ema_gz =
/// nu/(1 - alpha). A step computes the paper's new nu from nu = (1 - alpha) ema_gz, and divides it
/// by 1 - alpha. The backward of group scaling is computed as a derivative by `method`.
PowerNormBackward power_norm_released_backward(const ref::model::PowerNormReleasedOptions& options,
                                               const OracleInputs& inputs,
                                               const Tensor<oracle100>& gamma,
                                               const Evaluation<oracle100>& evaluation,
                                               const NamedTensors<oracle100>& state, Method method);

}  // namespace normproof::verification::checks::oracle
