#pragma once

#include "ref/model/encoder_config.hpp"
#include "ref/nn/dropout.hpp"
#include "ref/nn/linear.hpp"

namespace normproof::ref::nn {

template <class T>
struct FeedForward {
  Linear<T> first;   ///< [F,D], [F]
  Linear<T> second;  ///< [D,F], [D]
};

/// How a feed-forward runs. A rate of 0 is no dropout.
struct FeedForwardOptions {
  model::Activation activation = model::Activation::relu;
  double dropout = 0;
  DropoutKey key = {};  ///< of what the activation gives
};

template <class T>
struct FeedForwardSaved {
  Tensor<T> inner;   ///< [B,T,F]: what the activation takes
  Tensor<T> erf;     ///< [B,T,F]: what ops::gelu leaves for its backward; empty for others
  Tensor<T> active;  ///< [B,T,F]: what the second map takes
  Mask keep;         ///< [B,T,F], or empty: all
};

template <class T>
struct FeedForwardForward {
  Tensor<T> y;
  FeedForwardSaved<T> saved;
};

template <class T>
struct FeedForwardGradients {
  Tensor<T> grad_x;
  FeedForward<T> parameters;
};

/// Source    [VSP+17] section 3.3; docs/specification/encoder.md
/// Computes  y = second(dropout(activation(first(x))))
/// Shapes    x, y [B,T,D] or [N,D]
/// Requires  those of linear and of the activation; (C1) 0 <= dropout < 1
/// Throws    ContractError
template <numeric::Real T>
FeedForwardForward<T> feed_forward(const Tensor<T>& x, const FeedForward<T>& parameters,
                                   const FeedForwardOptions& options);

/// Requires  (C2) grad_y has the shape of y  (C3) saved as the forward returned it
template <numeric::Real T>
FeedForwardGradients<T> feed_forward_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                              const FeedForward<T>& parameters,
                                              const FeedForwardSaved<T>& saved,
                                              const FeedForwardOptions& options);

}  // namespace normproof::ref::nn
