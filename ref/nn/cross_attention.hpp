#pragma once

#include "ref/nn/multi_head_attention.hpp"

namespace normproof::ref::nn {

template <class T>
struct CrossAttention {
  Linear<T> query;   ///< [D,D], [D]
  Linear<T> memory;  ///< [2D,D], [2D]: maps the memory to keys, then values
  Linear<T> out;     ///< [D,D], [D]
};

template <class T>
struct CrossAttentionSaved {
  Tensor<T> queries;      ///< [B,T,D], divided by sqrt(d_k)
  Tensor<T> keys_values;  ///< [B,S,2D]
  Tensor<T> weights;      ///< [B,H,T,S]: softmax of the scores; empty if not saved
  Mask keep;              ///< [B,H,T,S]: dropout mask; empty if there is none
  Tensor<T> context;      ///< [B,T,D]: the input of the output map
};

template <class T>
struct CrossAttentionForward {
  Tensor<T> y;
  CrossAttentionSaved<T> saved;
};

template <class T>
struct CrossAttentionGradients {
  Tensor<T> grad_x;
  Tensor<T> grad_memory;
  CrossAttention<T> parameters;
};

/// Returns the keys and values of a memory, as attend_to_memory expects them.
/// Computes  memory_map(memory), the linear map parameters.memory
/// Shapes    memory [B,S,D]; result [B,S,2D]
/// Requires  the requirements of linear
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> keys_and_values(const Tensor<T>& memory, const CrossAttention<T>& parameters) {
  return linear(memory, parameters.memory);
}

/// Multi-head cross-attention: a sequence x attends to another sequence, the memory.
/// Source    [VSP+17] section 3.2.3; docs/specification/decoder.md
/// Computes  q = query(x), (k, v) = memory_map(memory), each split into H heads of d_k = D/H
///           features ;
///           q = q (1 / sqrt(d_k)) ; scores_bhij = sum_c q_bhic k_bhjc ;
///           weights = softmax over the positions j that memory_mask allows, or 0 if it allows none
///           ;
///           weights = dropout(weights) ; context_bhic = sum_j weights_bhij v_bhjc ;
///           y = out(context)
/// Shapes    x, y [B,T,D]; memory [B,S,D]; memory_mask [B,S], true if a position may be attended
///           to, or empty if all positions may
/// Requires  (C1) x is [B,T,D], and every extent is at least 1  (C2) H divides D
///           (C3) the parameters have the shapes of CrossAttention
///           (C4) memory_mask is [B,S] or empty  (C5) 0 <= dropout < 1
///           (C8) memory is [B,S,D] with S >= 1  (C9) options.causal is off
/// Order     docs/specification/determinism.md: rule R1 for products, rule R2 inside softmax. The
///           result of a position of x has the same bits if the position is computed alone, in any
///           batch, and with any padding at the end of the memory
/// Throws    ContractError
template <numeric::Real T>
CrossAttentionForward<T> cross_attention(const Tensor<T>& x, const Tensor<T>& memory,
                                         const CrossAttention<T>& parameters,
                                         const Mask& memory_mask, const AttentionOptions& options);

/// Returns the gradients of cross_attention.
/// Source    docs/specification/decoder.md
/// Requires  (C6) grad_y has the shape of x  (C7) saved is what the forward returned
template <numeric::Real T>
CrossAttentionGradients<T> cross_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Tensor<T>& memory,
                                                    const CrossAttention<T>& parameters,
                                                    const Mask& memory_mask,
                                                    const CrossAttentionSaved<T>& saved,
                                                    const AttentionOptions& options);

/// Returns y of cross_attention without dropout, from the keys and values of the memory.
/// keys_values can be used again when x grows by more positions.
/// Shapes    keys_values [B,S,2D], as keys_and_values returns them
/// Requires  the requirements of cross_attention; (C10) keys_values is [B,S,2D] with S >= 1
/// Order     the same bits as cross_attention
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> attend_to_memory(const Tensor<T>& x, const Tensor<T>& keys_values,
                           const CrossAttention<T>& parameters, const Mask& memory_mask,
                           std::size_t num_heads);

}  // namespace normproof::ref::nn
