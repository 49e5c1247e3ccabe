#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "ref/norm/norm.hpp"

namespace normproof::verification::checks::lipschitz {

/// A real number between two doubles, and what theory says it is at most.
struct Enclosure {
  double lower = 0, upper = 0;
  double theory = 0;
};

/// The largest of several: of the whole, of which each encloses a part.
Enclosure largest(const std::vector<Enclosure>& parts);

/// What the layer does not mix.
enum class PartKind { channel, row };

/// The operator norm of the Jacobian of each part, as a map of Euclidean spaces.
struct Norms {
  std::vector<Enclosure> norms;        ///< a part each
  ref::tensor::Tensor<double> x;       ///< where the lower bounds are attained
  ref::tensor::Tensor<double> grad_y;  ///< g of each part: ||J^T g|| >= lower ||g||; 0 at padding
};

struct Lipschitz {
  PartKind kind = PartKind::row;
  std::string theory;              ///< "max|gamma| rstd"
  std::vector<std::size_t> parts;  ///< channels; or rows that are no padding, as they lie in x
  Norms at;                        ///< at x
  Norms around;                    ///< the supremum over ||x' - x|| <= radius; none where it is 0
};

/// "batch_norm", "layer_norm", "rms_norm", "power_norm_v", "power_norm", "dyt"
const std::vector<std::string>& layer_names();

inline constexpr std::size_t kAllParts = std::numeric_limits<std::size_t>::max();

/// The Lipschitz constant of a layer as a map of x to y, from both sides.
///
/// Source    docs/derivations/lipschitz.md
/// Computes  for each channel (batch_norm, power_norm_v, power_norm, dyt) or row (layer_norm,
///           rms_norm) the operator norm of dy/dx at x and the supremum over a ball about it, which
///           is the Lipschitz constant there. Upper bounds follow from the Jacobian in closed form,
///           lower ones from the layer's own backward on `grad_y`, both in balls; where `attained`
///           parts are fewer than all, those with the largest upper bounds have a lower one, the
///           others 0. Rows of padding are left out, of x and of y. power_norm is the map of this
///           step: running_psi2 is a number of it, nu plays no part
/// Requires  those of the layer's forward; (C1) the layer is one of layer_names()  (C2) radius is
///           finite, 0 or more  (C3) some row is valid  (C4) attained >= 1
/// Throws    ContractError; std::runtime_error where a lower bound is above the upper one: then one
///           of the two derivations is wrong
Lipschitz certify(const ref::model::NormOptions& options,
                  const ref::model::NormInputs<double>& inputs,
                  const ref::tensor::NamedTensors<double>& state, double radius = 0,
                  std::size_t attained = kAllParts);

}  // namespace normproof::verification::checks::lipschitz
