#pragma once

#include "verification/checks/oracle/gradients.hpp"

namespace normproof::verification::checks::oracle {

/// The results that the approximate backward of a PowerNorm adds to an evaluation.
struct PowerNormBackward {
  Tensor<oracle100> grad_x;
  Tensor<oracle100> mean_x_hat_squared;  ///< Gamma
  Tensor<oracle100> mean_g_x_hat;        ///< Lambda
  Tensor<oracle100> nu;                  ///< the state after the step
};

/// The training backward of power_norm, computed from its history. nu changes by the part of the
/// outgoing gradient that still lies along x_hat:
///   nu_t = nu_(t-1) + (1 - alpha) mean_V((g - nu_(t-1) x_hat) x_hat),
/// which is the telescoping form of nu (1 - (1 - alpha) Gamma) + (1 - alpha) Lambda.
/// Source    docs/derivations/norms.md, section 6
PowerNormBackward power_norm_backward(const ref::model::PowerNormOptions& options,
                                      const OracleInputs& inputs, const Tensor<oracle100>& gamma,
                                      const Evaluation<oracle100>& evaluation,
                                      const NamedTensors<oracle100>& state);

/// The training backward of power_norm_released, computed from its history. The state ema_gz =
/// nu/(1 - alpha) is updated as nu is in the paper, and divided by 1 - alpha again. The backward of
/// group scaling is a derivative by `method`.
PowerNormBackward power_norm_released_backward(const ref::model::PowerNormReleasedOptions& options,
                                               const OracleInputs& inputs,
                                               const Tensor<oracle100>& gamma,
                                               const Evaluation<oracle100>& evaluation,
                                               const NamedTensors<oracle100>& state, Method method);

}  // namespace normproof::verification::checks::oracle
