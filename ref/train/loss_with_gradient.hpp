#pragma once

#include <vector>

#include "ref/model/operation.hpp"
#include "ref/train/cross_entropy.hpp"

namespace normproof::ref::train {

template <class T>
struct LossWithGradient {
  Tensor<T> loss;         ///< [1], or [N] without a reduction
  Tensor<T> grad_logits;  ///< [N,C], the gradient of the loss, or of the sum of the losses
};

/// Computes the loss and the gradient of cross-entropy with a cap, a z-loss z and a reduction. With
/// the default options, the results are those of cross_entropy and cross_entropy_backward.
/// Source    docs/specification/training.md
/// Computes  t = tanh(logits / soft_cap) ; x = t soft_cap, or the logits without a cap ;
///           over the rows i that are not ignored: l_i of cross_entropy for x,
///           e_i = log_sum_exp(x_i) ; z_i = (e_i e_i) z ; W = sum_i w_{t_i}, n = number of rows i ;
///           mean: loss = (sum_i l_i) / W + (sum_i z_i) / n ; sum: loss = sum_i l_i + sum_i z_i ;
///           none: loss_i = l_i + z_i, +0 in ignored rows; terms of z only if z > 0 ;
///           g = grad_logits of cross_entropy_backward for x, W = 1 unless the mean is taken ;
///           h_i = (2 z) e_i, divided by n for the mean ; g_ij = g_ij + exp(logp_ij) h_i ;
///           grad_logits = g (1 - t t), or g without a cap
/// Shapes    as cross_entropy
/// Requires  (C1) to (C6) and (C8) of cross_entropy; (C9) z_loss is finite and not negative;
///           (C10) soft_cap, if there is one, is finite and above 0
/// Order     rule R2 for all sums, rule R4 for the rest
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError
template <numeric::Real T>
LossWithGradient<T> cross_entropy_with_gradient(const Tensor<T>& logits,
                                                const std::vector<int>& targets,
                                                const Tensor<T>& class_weights,
                                                const model::CrossEntropyOptions& options);

}  // namespace normproof::ref::train
