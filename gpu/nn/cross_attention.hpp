#pragma once

#include "gpu/nn/multi_head_attention.hpp"

namespace normproof::gpu::nn {

struct CrossAttention {
  Linear query;   ///< [D,D], [D]
  Linear memory;  ///< [2D,D], [2D]: keys and values
  Linear out;     ///< [D,D], [D]
};

struct CrossAttentionForward {
  DeviceTensor<double> y;
  DeviceTensor<double> queries;      ///< [B,T,D], divided by sqrt(d_k)
  DeviceTensor<double> keys_values;  ///< [B,S,2D]
  DeviceTensor<double> weights;      ///< [B,H,T,S]: softmax of the scores
  DeviceTensor<bool> keep;           ///< [B,H,T,S], or {} if all are kept
  DeviceTensor<double> context;      ///< [B,T,D]: the input of the output map
};

struct CrossAttentionGradients {
  DeviceTensor<double> grad_x;
  DeviceTensor<double> grad_memory;
  CrossAttention parameters;
};

/// Device version with the same formulas, preconditions and error messages as
/// ref/nn/cross_attention.hpp. With ordered_products it also gives the same bits. The result always
/// contains the attention weights.
/// Throws    ContractError
CrossAttentionForward cross_attention(const DeviceTensor<double>& x,
                                      const DeviceTensor<double>& memory,
                                      const CrossAttention& parameters,
                                      const DeviceMask& memory_mask,
                                      const AttentionOptions& options);
CrossAttentionGradients cross_attention_backward(const DeviceTensor<double>& grad_y,
                                                 const DeviceTensor<double>& x,
                                                 const DeviceTensor<double>& memory,
                                                 const CrossAttention& parameters,
                                                 const DeviceMask& memory_mask,
                                                 const CrossAttentionForward& forward,
                                                 const AttentionOptions& options);

}  // namespace normproof::gpu::nn
