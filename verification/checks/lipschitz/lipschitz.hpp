#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "ref/norm/norm.hpp"

namespace normproof::verification::checks::lipschitz {

/// Two doubles that enclose a real number, and the upper bound of this number that the theory
/// gives.
struct Enclosure {
  double lower = 0, upper = 0;
  double theory = 0;
};

/// Returns an enclosure of the maximum of the enclosed numbers.
Enclosure largest(const std::vector<Enclosure>& parts);

/// The kind of parts that a layer processes independently: channels or rows.
enum class PartKind { channel, row };

/// The operator norm (for Euclidean norms) of the Jacobian of each part, and the gradient that
/// proves its lower bound.
struct Norms {
  std::vector<Enclosure> norms;   ///< one per part
  ref::tensor::Tensor<double> x;  ///< the points at which the lower bounds are attained
  /// For each part, the gradient g of y that proves the lower bound: ||J^T g|| >= lower ||g||.
  /// Elements at padding are 0.
  ref::tensor::Tensor<double> grad_y;
};

struct Lipschitz {
  PartKind kind = PartKind::row;
  std::string theory;  ///< "max|gamma| rstd"
  /// The indices of the parts: channels, or rows of x that are not padding.
  std::vector<std::size_t> parts;
  Norms at;      ///< at x
  Norms around;  ///< the supremum over ||x' - x|| <= radius; empty if the radius is 0
};

/// Returns the names of the supported layers: "batch_norm", "layer_norm", "rms_norm",
/// "power_norm_v", "power_norm" and "dyt".
const std::vector<std::string>& layer_names();

inline constexpr std::size_t kAllParts = std::numeric_limits<std::size_t>::max();

/// Bounds the Lipschitz constant of a layer, as a function from x to y, from above and from below.
///
/// Source    docs/derivations/lipschitz.md
/// Computes  for each channel (batch_norm, power_norm_v, power_norm, dyt) or row (layer_norm,
///           rms_norm): the operator norm of dy/dx at x, and the supremum of this norm over a ball
///           around x. The supremum is the Lipschitz constant in the ball. Upper bounds use the
///           closed form of the Jacobian. Lower bounds use the layer's own backward on `grad_y`.
///           All bounds are computed in ball arithmetic. Only the `attained` parts with the largest
///           upper bounds get a lower bound; the lower bound of all other parts is 0. Rows of
///           padding are excluded from x and y. For power_norm, running_psi2 is a constant of this
///           step, and nu is not used
/// Requires  the preconditions of the layer's forward; (C1) the layer is one of layer_names()  (C2)
///           radius is finite, 0 or more  (C3) some row is valid  (C4) attained >= 1
/// Throws    ContractError; std::runtime_error if a lower bound exceeds the upper bound, which
///           means that one of the two derivations is wrong
Lipschitz certify(const ref::model::NormOptions& options,
                  const ref::model::NormInputs<double>& inputs,
                  const ref::tensor::NamedTensors<double>& state, double radius = 0,
                  std::size_t attained = kAllParts);

}  // namespace normproof::verification::checks::lipschitz
