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

/// Options of a feed-forward. A rate of 0 means no dropout.
struct FeedForwardOptions {
  model::Activation activation = model::Activation::relu;
  double dropout = 0;
  DropoutKey key = {};  ///< for the output of the activation
};

template <class T>
struct FeedForwardSaved {
  Tensor<T> inner;  ///< [B,T,F]: the input of the activation
  /// [B,T,F]: what ops::gelu saves for its backward; empty for other activations.
  Tensor<T> erf;
  Tensor<T> active;  ///< [B,T,F]: the input of the second map
  Mask keep;         ///< [B,T,F], or empty if all elements are kept
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

/// Applies a feed-forward network to each row.
/// Source    [VSP+17] section 3.3; docs/specification/encoder.md
/// Computes  y = second(dropout(activation(first(x))))
/// Shapes    x, y [B,T,D] or [N,D]
/// Requires  those of linear and of the activation; (C1) 0 <= dropout < 1
/// Throws    ContractError
template <numeric::Real T>
FeedForwardForward<T> feed_forward(const Tensor<T>& x, const FeedForward<T>& parameters,
                                   const FeedForwardOptions& options);

/// Returns the gradients of feed_forward.
/// Requires  (C2) grad_y has the shape of y  (C3) saved is what the forward returned
template <numeric::Real T>
FeedForwardGradients<T> feed_forward_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                              const FeedForward<T>& parameters,
                                              const FeedForwardSaved<T>& saved,
                                              const FeedForwardOptions& options);

}  // namespace normproof::ref::nn
