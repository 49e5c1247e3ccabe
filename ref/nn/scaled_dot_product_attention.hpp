#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

/// The optional inputs of attention that act on its scores.
template <class T>
struct ScoreInputs {
  Tensor<T> sinks;         ///< [H]: one more score for each query of a head; empty without sinks
  Tensor<T> bias = {};     ///< [B or 1, H or 1, T, S], added to the scores; empty without a bias
  Mask bias_visible = {};  ///< as bias; false hides a key from a query; empty if it hides none
};

template <class T>
struct DotProductSaved {
  Tensor<T> queries;         ///< [B,H,T,D]: q times scale
  Tensor<T> weights;         ///< [B,H,T,S]: softmax of the scores
  Tensor<T> tanh;            ///< [B,H,T,S]: tanh(scores / soft_cap); empty without a cap
  Tensor<T> sink_weights;    ///< [B,H,T]: softmax of the scores, of the sink; empty without sinks
  tensor::Shape bias_shape;  ///< no axes without a bias
  Mask bias_visible;         ///< that of the forward
};

template <class T>
struct DotProductForward {
  Tensor<T> y;            ///< [B,H,T,E]
  Tensor<T> log_sum_exp;  ///< [B,H,T]; empty if some query sees no key and has no sink
  DotProductSaved<T> saved;
};

template <class T>
struct DotProductGradients {
  Tensor<T> q, k, v;
  Tensor<T> sinks;  ///< [H]; empty without sinks
  Tensor<T> bias;   ///< the shape of the bias; empty without a bias
};

/// Scaled dot-product attention without linear maps and dropout. The H heads of queries form G
/// groups, and each group reads the keys and values of one head.
/// Source    [VSP+17] section 3.2.1; groups: [ALdJ+23]; docs/specification/attention.md
/// Computes  q = q scale ; scores_bhij = sum_c q_bhic k_bgjc, where g = floor(h / (H/G)) ;
///           with a cap, scores = soft_cap tanh(scores / soft_cap) ;
///           with a bias, scores_bhij = scores_bhij + bias_bhij, where a bias of extent 1 along b
///           or h has the same elements for all samples or heads ;
///           weights = softmax over the keys j that query i sees, or 0 if it sees none ;
///           y_bhie = sum_j weights_bhij v_bgje ;
///           log_sum_exp = log(sum_j exp(scores)), divided by log(2) if its base is 2. Query i sees
///           key j if valid_bj is true, bias_visible_bhij is true, and model::is_in_range(i, j) is
///           true for the causal mask and the window. With sinks, the softmax and log_sum_exp have
///           one more score, sinks_h. It has no key and no value, and is neither scaled nor capped
/// Shapes    q [B,H,T,D]; k [B,G,S,D]; v [B,G,S,E]; valid [B,S], true if a key takes part, or empty
///           if all keys do; extra.sinks [H] or empty; extra.bias [B or 1, H or 1, T, S] or empty
/// Requires  the requirements of model::attention_shape; (C5) every element of q, k, v, sinks and
///           bias is finite, and so are the scores of visible keys before the cap, and their sum
///           with the bias  (C11) bias_visible is empty or has the shape of bias
/// Order     docs/specification/determinism.md: rule R1 for products, rule R2 inside softmax. The
///           result of a sample has the same bits if it is computed alone or with longer padding.
///           The sink comes after the keys that the query sees
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError
template <numeric::Real T>
DotProductForward<T> scaled_dot_product_attention(const Tensor<T>& q, const Tensor<T>& k,
                                                  const Tensor<T>& v, const Mask& valid = {},
                                                  const model::AttentionOptions& options = {},
                                                  const ScoreInputs<T>& extra = {});

/// Returns the gradients of scaled_dot_product_attention.
/// Source    docs/specification/attention.md
/// Computes  grad_v_bgj = sum of weights_bhij grad_y_bhi over the heads h of the group and their
///           queries i ;
///           grad_weights_bhij = sum_e grad_y_bhie v_bgje ;
///           grad_scores = softmax_backward(grad_weights), with a cap times 1 - tanh^2 ;
///           grad_q = (grad_scores k) scale ;
///           grad_k is computed like grad_v, with grad_scores instead of weights, and with the
///           product `q scale` instead of grad_y ;
///           grad_sinks_h = sum over the samples b and the queries i of
///           weight_of_sink (0 - mean), where mean is the mean of grad_weights in
///           softmax_backward, to which the sink adds a term of 0 ;
///           grad_bias = softmax_backward(grad_weights), summed over the samples and heads that
///           share an element of the bias
/// Requires  (C6) grad_y has the shape of y, is finite, and is so small that the sums in the
///           backward of softmax are finite  (C7) saved is what the forward returned
/// Order     as in the forward. The terms of a sum over a group are ordered by head, then by query.
///           The terms of grad_sinks are ordered by sample, then by query, and those of grad_bias
///           by sample, then by head. Both are added by rule R2
/// Throws    ContractError
template <numeric::Real T>
DotProductGradients<T> scaled_dot_product_attention_backward(
    const Tensor<T>& grad_y, const Tensor<T>& k, const Tensor<T>& v, const Mask& valid,
    const DotProductSaved<T>& saved, const model::AttentionOptions& options = {});

}  // namespace normproof::ref::nn
