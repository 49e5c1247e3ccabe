#pragma once

#include "ref/nn/dropout.hpp"
#include "ref/nn/linear.hpp"

namespace normproof::ref::nn {

template <class T>
struct Attention {
  Linear<T> in;   ///< [3D,D], [3D]: queries, keys, values
  Linear<T> out;  ///< [D,D], [D]
};

/// How attention runs. A rate of 0 is no dropout.
struct AttentionOptions {
  std::size_t num_heads = 1;
  double dropout = 0;
  DropoutKey key = {};  ///< of the attention weights
  /// False: the backward computes the weights again. No bit depends on it.
  bool keep_weights = true;
  bool causal = false;  ///< position i attends to those up to its own alone
};

template <class T>
struct AttentionSaved {
  Tensor<T> qkv;      ///< [B,T,3D], the queries divided by sqrt(d_k)
  Tensor<T> weights;  ///< [B,H,T,T]: softmax of the scores; or empty: not kept
  Mask keep;          ///< [B,H,T,T], or empty: all, or not kept
  Tensor<T> context;  ///< [B,T,D]: what the output map takes
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
/// Computes  (q, k, v) = in(x), cut in H heads of d_k = D/H features each; q = q (1 / sqrt(d_k)) ;
///           scores_bhij = sum_c q_bhic k_bhjc ; weights = softmax over j, where attention_mask
///           says that j may be attended to, and where attention is causal j <= i; of a position
///           that may attend to none 0; weights = dropout(weights) ;
///           context_bhic = sum_j weights_bhij v_bhjc ; y = out(context)
/// Shapes    x, y [B,T,D]; attention_mask [B,T], true = may be attended to, or empty: all
/// Requires  (C1) every extent of x >= 1  (C2) H divides D  (C3) parameters with the shapes of
///           Attention  (C4) attention_mask [B,T] or empty  (C5) 0 <= dropout < 1
/// Order     docs/specification/determinism.md: R1 for products, R2 inside softmax. A row of a batch has the bits
///           that it has alone, and in a longer padding; where attention is causal each position
///           has those of the sentence that ends with it
/// Throws    ContractError
template <numeric::Real T>
AttentionForward<T> multi_head_attention(const Tensor<T>& x, const Attention<T>& parameters,
                                         const Mask& attention_mask,
                                         const AttentionOptions& options);

/// Source    docs/specification/encoder.md
/// Requires  (C6) grad_y has the shape of x  (C7) saved as the forward returned it
template <numeric::Real T>
AttentionGradients<T> multi_head_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Attention<T>& parameters,
                                                    const Mask& attention_mask,
                                                    const AttentionSaved<T>& saved,
                                                    const AttentionOptions& options);

}  // namespace normproof::ref::nn
