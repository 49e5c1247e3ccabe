#pragma once

#include "gpu/nn/dropout.hpp"
#include "gpu/nn/linear.hpp"
#include "ref/model/encoder_config.hpp"

namespace normproof::gpu::nn {

struct FeedForward {
  Linear first;   ///< [F,D], [F]
  Linear second;  ///< [D,F], [D]
};

/// How a feed-forward runs. A rate of 0 is no dropout.
struct FeedForwardOptions {
  ref::model::Activation activation = ref::model::Activation::relu;
  double dropout = 0;
  DropoutKey key = {};
  const Products* products = &ops::ordered_products();
};

struct FeedForwardForward {
  DeviceTensor<double> y;
  DeviceTensor<double> inner;   ///< [B,T,F]: what the activation takes
  DeviceTensor<double> active;  ///< [B,T,F]: what the second map takes
  DeviceTensor<bool> keep;      ///< [B,T,F], or {}: all
};

struct FeedForwardGradients {
  DeviceTensor<double> grad_x;
  FeedForward parameters;
};

/// ref/nn/feed_forward.hpp on a device: formulas, requirements, and with ordered_products bits.
/// Throws    ContractError
FeedForwardForward feed_forward(const DeviceTensor<double>& x, const FeedForward& parameters,
                                const FeedForwardOptions& options);
FeedForwardGradients feed_forward_backward(const DeviceTensor<double>& grad_y,
                                           const DeviceTensor<double>& x,
                                           const FeedForward& parameters,
                                           const FeedForwardForward& forward,
                                           const FeedForwardOptions& options);

}  // namespace normproof::gpu::nn
