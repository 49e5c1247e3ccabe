#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

template <class T>
struct DotProductSaved {
  Tensor<T> queries;  ///< [B,H,T,D]: q scale
  Tensor<T> weights;  ///< [B,H,T,S]: softmax of the scores
};

template <class T>
struct DotProductForward {
  Tensor<T> y;            ///< [B,H,T,E]
  Tensor<T> log_sum_exp;  ///< [B,H,T], of the scores; empty where some query sees no key
  DotProductSaved<T> saved;
};

template <class T>
struct DotProductGradients {
  Tensor<T> q, k, v;
};

/// Scaled dot-product attention alone: no linear map, no dropout. H heads of queries in G groups,
/// each of which reads the keys and values of one head.
/// Source    [VSP+17] section 3.2.1; groups: [ALdJ+23]; docs/specification/attention.md
/// Computes  q = q scale ; scores_bhij = sum_c q_bhic k_bgjc, g = floor(h / (H/G)) ; weights =
///           softmax over the keys j that query i sees, 0 where it sees none ;
///           y_bhie = sum_j weights_bhij v_bgje ; log_sum_exp = log(sum_j exp(scores))
///           Query i sees key j where valid_bj, and, where attention is causal, j + T <= i + S
/// Shapes    q [B,H,T,D]; k [B,G,S,D]; v [B,G,S,E]; valid [B,S], true = takes part, or empty: all
/// Requires  those of model::attention_shape; (C5) every element of q, k and v is finite, and so
///           are the scores of keys that are seen
/// Order     docs/specification/determinism.md: R1 for products, R2 inside softmax. A sample has the bits that it
///           has alone, and in a longer padding
/// Error     docs/derivations/error_analysis.md, section 1: the scalar running_error
/// Throws    ContractError
template <numeric::Real T>
DotProductForward<T> scaled_dot_product_attention(const Tensor<T>& q, const Tensor<T>& k,
                                                  const Tensor<T>& v, const Mask& valid = {},
                                                  const model::AttentionOptions& options = {});

/// Source    docs/specification/attention.md
/// Computes  grad_v_bgj = sum over the heads h of the group and their queries i of
///           weights_bhij grad_y_bhi ; grad_weights_bhij = sum_e grad_y_bhie v_bgje ; grad_scores =
///           softmax_backward(grad_weights) ; grad_q = (grad_scores k) scale ; grad_k = like
///           grad_v, of grad_scores and q scale
/// Requires  (C6) grad_y has the shape of y and is finite, and so small that the sums of the
///           backward of softmax are finite  (C7) saved as the forward returned it
/// Order     as the forward: the queries of a group's heads, head after head, are the terms of one
///           sum
/// Throws    ContractError
template <numeric::Real T>
DotProductGradients<T> scaled_dot_product_attention_backward(
    const Tensor<T>& grad_y, const Tensor<T>& k, const Tensor<T>& v, const Mask& valid,
    const DotProductSaved<T>& saved, const model::AttentionOptions& options = {});

}  // namespace normproof::ref::nn
