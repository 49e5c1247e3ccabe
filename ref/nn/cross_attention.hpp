#pragma once

#include "ref/nn/multi_head_attention.hpp"

namespace normproof::ref::nn {

template <class T>
struct CrossAttention {
  Linear<T> query;   ///< [D,D], [D]
  Linear<T> memory;  ///< [2D,D], [2D]: keys, values
  Linear<T> out;     ///< [D,D], [D]
};

template <class T>
struct CrossAttentionSaved {
  Tensor<T> queries;      ///< [B,T,D], divided by sqrt(d_k)
  Tensor<T> keys_values;  ///< [B,S,2D]
  Tensor<T> weights;      ///< [B,H,T,S]: softmax of the scores; or empty: not kept
  Mask keep;              ///< [B,H,T,S], or empty: all, or not kept
  Tensor<T> context;      ///< [B,T,D]: what the output map takes
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

/// The keys and values of a memory, which attend_to_memory takes.
/// Computes  memory_map(memory)
/// Shapes    memory [B,S,D]; result [B,S,2D]
/// Requires  those of linear
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> keys_and_values(const Tensor<T>& memory, const CrossAttention<T>& parameters) {
  return linear(memory, parameters.memory);
}

/// Multi-head attention of one sequence to another one, the memory.
/// Source    [VSP+17] section 3.2.3; docs/specification/decoder.md
/// Computes  q = query(x), (k, v) = memory_map(memory), cut in H heads of d_k = D/H features each;
///           q = q (1 / sqrt(d_k)) ; scores_bhij = sum_c q_bhic k_bhjc ; weights = softmax over j,
///           where memory_mask says that j may be attended to; where none may 0 ;
///           weights = dropout(weights) ; context_bhic = sum_j weights_bhij v_bhjc ;
///           y = out(context)
/// Shapes    x, y [B,T,D]; memory [B,S,D]; memory_mask [B,S], true = may be attended to, or empty:
///           all
/// Requires  (C1) x is [B,T,D], every extent >= 1  (C2) H divides D  (C3) parameters with the
///           shapes of CrossAttention  (C4) memory_mask [B,S] or empty  (C5) 0 <= dropout < 1
///           (C8) memory is [B,S,D], S >= 1  (C9) options.causal is off
/// Order     docs/specification/determinism.md: R1 for products, R2 inside softmax. A position of x has the bits
///           that it has alone, in any batch and beside any padding at the memory's end
/// Throws    ContractError
template <numeric::Real T>
CrossAttentionForward<T> cross_attention(const Tensor<T>& x, const Tensor<T>& memory,
                                         const CrossAttention<T>& parameters,
                                         const Mask& memory_mask, const AttentionOptions& options);

/// Source    docs/specification/decoder.md
/// Requires  (C6) grad_y has the shape of x  (C7) saved as the forward returned it
template <numeric::Real T>
CrossAttentionGradients<T> cross_attention_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                                    const Tensor<T>& memory,
                                                    const CrossAttention<T>& parameters,
                                                    const Mask& memory_mask,
                                                    const CrossAttentionSaved<T>& saved,
                                                    const AttentionOptions& options);

/// Computes  y of cross_attention without dropout, from the memory's keys and values: again and
///           again with the same ones, as the sequence of x grows
/// Shapes    keys_values [B,S,2D], as keys_and_values gives them
/// Requires  those of cross_attention; (C10) keys_values is [B,S,2D], S >= 1
/// Order     the bits of cross_attention
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> attend_to_memory(const Tensor<T>& x, const Tensor<T>& keys_values,
                           const CrossAttention<T>& parameters, const Mask& memory_mask,
                           std::size_t num_heads);

}  // namespace normproof::ref::nn
