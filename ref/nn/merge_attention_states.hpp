#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

template <class T>
struct MergedStates {
  Tensor<T> y;            ///< [B,H,T,E]
  Tensor<T> log_sum_exp;  ///< [B,H,T]
  Tensor<T> weights;      ///< [B H T, P]: the weight of each split, for the backward
};

template <class T>
struct StateGradients {
  Tensor<T> o;            ///< [P,B,H,T,E]
  Tensor<T> log_sum_exp;  ///< [P,B,H,T]
};

/// Merges the results of attention over P parts of the keys. Kernels that split the keys, and ring
/// attention, compute such partial results.
/// Source    docs/specification/attention.md
/// Computes  m = the largest log_sum_exp_pr of query r ;
///           d_rp = log_sum_exp_pr - m, times log(2) if the base is 2 ;
///           w_rp = exp(d_rp) / sum_p exp(d_rp), the softmax of d ;
///           y_re = sum_p w_rp o_pre ;
///           log_sum_exp_r = m + log(sum_p exp(d_rp)), whose logarithm is divided by log(2) if the
///           base is 2.
///           If `present` is false, the split is empty: its weight is 0, it adds +0 to y, and
///           neither o nor log_sum_exp is read there. If all splits of a query are empty, y is +0,
///           and log_sum_exp is -infinity, for which a scalar type other than double has 0
/// Shapes    o [P,B,H,T,E]; log_sum_exp [P,B,H,T]; present [P,B,H,T], or empty if no split is empty
/// Requires  the requirements of model::attention_states ; (C4) the elements of o and log_sum_exp
///           are finite in every split that is not empty
/// Order     docs/specification/determinism.md, rule R2: inside softmax over the splits that are
///           not empty, in y over all P splits
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError
template <numeric::Real T>
MergedStates<T> merge_attention_states(const Tensor<T>& o, const Tensor<T>& log_sum_exp,
                                       const Mask& present = {},
                                       const model::MergeAttentionStatesOptions& options = {});

/// Returns the gradients of merge_attention_states from that of y.
/// Source    docs/specification/attention.md
/// Computes  grad_o_pre = w_rp grad_y_re ;
///           grad_w_rp = sum_e grad_y_re o_pre ;
///           grad_log_sum_exp = softmax_backward(grad_w), times log(2) if the base is 2.
///           Both gradients are +0 in an empty split, and o is not read there
/// Requires  the requirements of the forward ; (C5) grad_y has the shape of y, is finite, and is so
///           small that the sums are finite  (C6) weights are those of the forward
/// Order     rule R2
/// Throws    ContractError
template <numeric::Real T>
StateGradients<T> merge_attention_states_backward(
    const Tensor<T>& grad_y, const Tensor<T>& o, const Tensor<T>& weights, const Mask& present = {},
    const model::MergeAttentionStatesOptions& options = {});

}  // namespace normproof::ref::nn
