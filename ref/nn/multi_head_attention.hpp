#pragma once

#include "ref/nn/dropout.hpp"
#include "ref/nn/linear.hpp"

namespace normproof::ref::nn {

template <class T>
struct Attention {
  Linear<T> in;   ///< [3D,D], [3D]: first the queries, then the keys, then the values
  Linear<T> out;  ///< [D,D], [D]
};

/// Options of attention. If `dropout`, the rate, is 0, there is no dropout.
struct AttentionOptions {
  std::size_t num_heads = 1;
  double dropout = 0;
  DropoutKey key = {};  ///< selects the attention weights to keep
  /// Whether the forward saves the attention weights. If not, the backward computes them again.
  /// This does not affect the bits.
  bool keep_weights = true;
  bool causal = false;  ///< position i attends only to positions up to i
};

template <class T>
struct AttentionSaved {
  Tensor<T> qkv;      ///< [B,T,3D], with the queries divided by sqrt(d_k)
  Tensor<T> weights;  ///< [B,H,T,T]: softmax of the scores; empty if not saved
  Mask keep;          ///< [B,H,T,T]: dropout mask; empty if there is none
  Tensor<T> context;  ///< [B,T,D]: the input of the output map
};

template <class T>
struct AttentionForward {
  Tensor<T> y;
  AttentionSaved<T> saved;
};

template <class T>
struct AttentionGradients {
  Tensor<T> grad_x;
  Attention<T> parameters;
};

/// Multi-head self-attention.
/// Source    [VSP+17] section 3.2; docs/specification/encoder.md
/// Computes  (q, k, v) = in(x), each split into H heads of d_k = D/H features ;
///           q = q (1 / sqrt(d_k)) ; scores_bhij = sum_c q_bhic k_bhjc ;
///           weights = softmax over the positions j that attention_mask allows, and j <= i if
///           causal. If position i may attend to no position, its weights are 0 ;
///           weights = dropout(weights) ; context_bhic = sum_j weights_bhij v_bhjc ; y =
///           out(context)
/// Shapes    x, y [B,T,D]; attention_mask [B,T], true if a position may be attended to, or empty if
///           all positions may
/// Requires  (C1) every extent of x is at least 1  (C2) H divides D
///           (C3) the parameters have the shapes of Attention
///           (C4) attention_mask is [B,T] or empty  (C5) 0 <= dropout < 1
/// Order     docs/specification/determinism.md: rule R1 for products, rule R2 inside softmax. The
///           result of a sentence has the same bits if it is computed alone or with longer padding.
///           If attention is causal, the result of a position has the same bits if the sentence
///           ends at this position
/// Throws    ContractError
template <numeric::Real T>
AttentionForward<T> multi_head_attention(const Tensor<T>& x, const Attention<T>& parameters,
                                         const Mask& attention_mask,
                                         const AttentionOptions& options);

/// Returns the gradients of multi_head_attention.
/// Source    docs/specification/encoder.md
/// Requires  (C6) grad_y has the shape of x  (C7) saved is what the forward returned
template <numeric::Real T>
AttentionGradients<T> multi_head_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Attention<T>& parameters,
                                                    const Mask& attention_mask,
                                                    const AttentionSaved<T>& saved,
                                                    const AttentionOptions& options);

}  // namespace normproof::ref::nn
