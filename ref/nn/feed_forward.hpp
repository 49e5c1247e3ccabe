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

/// Options of a feed-forward. If `dropout`, the rate, is 0, there is no dropout.
struct FeedForwardOptions {
  model::Activation activation = model::Activation::relu;
  double dropout = 0;
  DropoutKey key = {};  ///< selects the elements of the activation's output to keep
};

template <class T>
struct FeedForwardSaved {
  Tensor<T> inner;  ///< [B,T,F]: the input of the activation
  /// The values of erf that gelu_keeping_erf saves for its backward, [B,T,F]. The tensor is empty
  /// for other activations.
  Tensor<T> erf;
  Tensor<T> active;  ///< [B,T,F]: the input of the second map
  Mask keep;         ///< [B,T,F]: dropout mask; empty if there is no dropout
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
/// Requires  the requirements of linear and of the activation; (C1) 0 <= dropout < 1
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
