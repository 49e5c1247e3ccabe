#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/lipschitz/lipschitz.hpp"

namespace normproof::verification::checks::statistics {

/// How much a layer can lengthen a change of one batch: its Lipschitz constant there.
struct Slope {
  std::size_t step = 0;  ///< of the batch, from 1
  std::string layer;
  std::string theory;                   ///< the bound that theory gives: "|gamma|/psi"
  checks::lipschitz::Enclosure at;      ///< the norm of the Jacobian at the batch
  checks::lipschitz::Enclosure around;  ///< at any within the radius of it
};

/// Computes  checks::lipschitz::certify of each of its layers, gamma = 1, over real tokens; power_norm from
///           `power_norm_state`, the state before the step
/// Shapes    x [B,T,D]; valid [B,T]
/// Requires  those of checks::lipschitz::certify
/// Throws    ContractError
std::vector<Slope> slopes_of(std::size_t step, const ref::tensor::Tensor<double>& x,
                             const ref::tensor::Mask& valid,
                             const ref::tensor::NamedTensors<double>& power_norm_state,
                             double radius);

}  // namespace normproof::verification::checks::statistics
