#pragma once

#include <optional>

#include "gpu/train/gradients.hpp"

namespace normproof::gpu::train {

struct GradientNorms {
  /// The norm of each gradient, with its name. The norms of the full gradients come first; the
  /// norms of the gradients that are stored by rows follow.
  std::vector<std::pair<std::string, double>> per_tensor;
  double whole = 0;
};

/// Device version with the same formulas, preconditions, error messages and bits as
/// ref/train/gradient_norm.hpp.
/// Throws    ContractError, before anything is changed
GradientNorms gradient_norms(const Gradients& gradients);
/// Clips the gradients in place. Returns the norms that they had before clipping.
GradientNorms clip_gradients(Gradients& gradients, std::optional<double> max_norm);

/// The first part of gradient_norms: computes the sum of squares of each gradient on the device.
DeviceTensor<double> sums_of_squares(const Gradients& gradients);
/// The second part of gradient_norms: computes the norms from the sums of squares.
GradientNorms gradient_norms(const Gradients& gradients, const DeviceTensor<double>& sums);
/// Checks max_norm. This is the first part of clip_gradients. The second part is the overload of
/// clip_gradients with known norms, which scales the gradients.
void check_max_norm(std::optional<double> max_norm);
void clip_gradients(Gradients& gradients, const GradientNorms& norms,
                    std::optional<double> max_norm);

}  // namespace normproof::gpu::train
