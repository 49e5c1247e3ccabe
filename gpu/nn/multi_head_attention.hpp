#pragma once

#include "gpu/device/mask.hpp"
#include "gpu/nn/dropout.hpp"
#include "gpu/nn/linear.hpp"

namespace normproof::gpu::nn {

using device::DeviceMask;

struct Attention {
  Linear in;   ///< [3D,D], [3D]: queries, keys, values
  Linear out;  ///< [D,D], [D]
};

/// Options of attention. A dropout rate of 0 means no dropout.
struct AttentionOptions {
  std::size_t num_heads = 1;
  double dropout = 0;
  DropoutKey key = {};
  const Products* products = &ops::ordered_products();
  bool causal = false;  ///< position i attends only to positions up to i
};

struct AttentionForward {
  DeviceTensor<double> y;
  DeviceTensor<double> qkv;      ///< [B,T,3D], the queries divided by sqrt(d_k)
  DeviceTensor<double> weights;  ///< [B,H,T,T]: softmax of the scores
  DeviceTensor<bool> keep;       ///< [B,H,T,T], or {} if all are kept
  DeviceTensor<double> context;  ///< [B,T,D]: the input of the output map
};

struct AttentionGradients {
  DeviceTensor<double> grad_x;
  Attention parameters;
};

/// Device version with the same formulas and preconditions as ref/nn/multi_head_attention.hpp. With
/// ordered_products it also gives the same bits. The result always contains the attention weights.
/// Throws    ContractError
AttentionForward multi_head_attention(const DeviceTensor<double>& x, const Attention& parameters,
                                      const DeviceMask& attention_mask,
                                      const AttentionOptions& options);
AttentionGradients multi_head_attention_backward(const DeviceTensor<double>& grad_y,
                                                 const DeviceTensor<double>& x,
                                                 const Attention& parameters,
                                                 const DeviceMask& attention_mask,
                                                 const AttentionForward& forward,
                                                 const AttentionOptions& options);

}  // namespace normproof::gpu::nn
