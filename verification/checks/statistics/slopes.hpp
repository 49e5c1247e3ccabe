#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/lipschitz/lipschitz.hpp"

namespace normproof::verification::checks::statistics {

/// The Lipschitz constant of a layer around one batch: the maximum factor by which the layer
/// amplifies a change of the batch.
struct LipschitzAtStep {
  std::size_t step = 0;  ///< number of the batch, from 1
  std::string layer;
  std::string theory;                   ///< the bound that theory gives, such as "|gamma|/psi"
  checks::lipschitz::Enclosure at;      ///< the norm of the Jacobian at the batch
  checks::lipschitz::Enclosure around;  ///< the maximum over the ball around the batch
};

/// Returns bounds of the Lipschitz constant of every layer that checks::lipschitz::certify
/// supports.
///
/// Computes  checks::lipschitz::certify of each layer with gamma = 1 on the real tokens. For
///           power_norm, the state before the step is `power_norm_state`
/// Shapes    x [B,T,D]; valid [B,T]
/// Requires  the preconditions of checks::lipschitz::certify
/// Throws    ContractError
std::vector<LipschitzAtStep> bound_lipschitz_constants(
    std::size_t step, const ref::tensor::Tensor<double>& x, const ref::tensor::Mask& valid,
    const ref::tensor::NamedTensors<double>& power_norm_state, double radius);

}  // namespace normproof::verification::checks::statistics
