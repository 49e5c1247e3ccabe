#pragma once

#include <vector>

#include "gpu/device/tensor.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::gpu::train {

using device::DeviceTensor;

/// A target with this value means that the loss ignores the row.
inline constexpr int kIgnored = -1;

struct CrossEntropyForward {
  DeviceTensor<double> loss;               ///< [1]
  DeviceTensor<double> log_probabilities;  ///< [N,C]
};

/// Device version with the same formulas, preconditions, error messages and bits as
/// ref/train/cross_entropy.hpp.
/// Throws    ContractError
CrossEntropyForward cross_entropy(const DeviceTensor<double>& logits,
                                  const std::vector<int>& targets,
                                  const DeviceTensor<double>& class_weights = {},
                                  const ref::model::LossOptions& options = {});
DeviceTensor<double> cross_entropy_backward(const DeviceTensor<double>& log_probabilities,
                                            const std::vector<int>& targets,
                                            const DeviceTensor<double>& class_weights = {},
                                            const ref::model::LossOptions& options = {});

}  // namespace normproof::gpu::train
