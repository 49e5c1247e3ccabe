#pragma once

#include "gpu/device/tensor.hpp"
#include "ref/model/operation.hpp"

namespace normproof::gpu::nn {

using device::DeviceTensor;
using device::Mask;

struct MergedStates {
  DeviceTensor<double> y, log_sum_exp;
  DeviceTensor<double> weights;  ///< [B H T, P], for the backward
};

struct StateGradients {
  DeviceTensor<double> o, log_sum_exp;
};

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/nn/merge_attention_states.hpp.
/// Throws    ContractError
MergedStates merge_attention_states(const DeviceTensor<double>& o,
                                    const DeviceTensor<double>& log_sum_exp,
                                    const Mask& present = {},
                                    const ref::model::MergeAttentionStatesOptions& options = {});
StateGradients merge_attention_states_backward(
    const DeviceTensor<double>& grad_y, const DeviceTensor<double>& o,
    const DeviceTensor<double>& weights, const Mask& present = {},
    const ref::model::MergeAttentionStatesOptions& options = {});

}  // namespace normproof::gpu::nn
