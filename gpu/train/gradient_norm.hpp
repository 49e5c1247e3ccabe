#pragma once

#include <optional>

#include "gpu/train/gradients.hpp"

namespace normproof::gpu::train {

struct GradientNorms {
  std::vector<std::pair<std::string, double>> of_tensors;  ///< the dense ones, then those of rows
  double whole = 0;
};

/// ref/train/gradient_norm.hpp on a device: formulas, requirements, sentences and bits.
/// Throws    ContractError, before anything is changed
GradientNorms gradient_norms(const Gradients& gradients);
/// Clips in place; the norms before.
GradientNorms clip_gradients(Gradients& gradients, std::optional<double> max_norm);

}  // namespace normproof::gpu::train
