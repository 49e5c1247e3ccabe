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
/// Clips the gradients in place and returns their norms from before.
GradientNorms clip_gradients(Gradients& gradients, std::optional<double> max_norm);

/// The first part of gradient_norms: of each tensor the sum of its squares, on the device.
DeviceTensor<double> sums_of_squares(const Gradients& gradients);
/// The second part: the norms, from the sums of squares.
GradientNorms gradient_norms(const Gradients& gradients, const DeviceTensor<double>& sums);
/// The two halves of clip_gradients: the check of its option, and the scaling by known norms.
void check_max_norm(std::optional<double> max_norm);
void clip_gradients(Gradients& gradients, const GradientNorms& norms,
                    std::optional<double> max_norm);

}  // namespace normproof::gpu::train
