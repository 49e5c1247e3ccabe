#pragma once

#include "gpu/nn/dropout.hpp"
#include "gpu/nn/linear.hpp"
#include "ref/model/encoder_config.hpp"

namespace normproof::gpu::nn {

struct FeedForward {
  Linear first;   ///< [F,D], [F]
  Linear second;  ///< [D,F], [D]
};

/// Options of a feed-forward sublayer. A dropout rate of 0 means no dropout.
struct FeedForwardOptions {
  ref::model::Activation activation = ref::model::Activation::relu;
  double dropout = 0;
  DropoutKey key = {};
  const Products* products = &ops::ordered_products();
};

struct FeedForwardForward {
  DeviceTensor<double> y;
  DeviceTensor<double> inner;   ///< [B,T,F]: the input of the activation
  DeviceTensor<double> active;  ///< [B,T,F]: the input of the second map
  DeviceTensor<bool> keep;      ///< [B,T,F], or {} if all are kept
};

struct FeedForwardGradients {
  DeviceTensor<double> grad_x;
  FeedForward parameters;
};

/// Device version with the same formulas and preconditions as ref/nn/feed_forward.hpp. With
/// ordered_products it also gives the same bits.
/// Throws    ContractError
FeedForwardForward feed_forward(const DeviceTensor<double>& x, const FeedForward& parameters,
                                const FeedForwardOptions& options);
FeedForwardGradients feed_forward_backward(const DeviceTensor<double>& grad_y,
                                           const DeviceTensor<double>& x,
                                           const FeedForward& parameters,
                                           const FeedForwardForward& forward,
                                           const FeedForwardOptions& options);

}  // namespace normproof::gpu::nn
