#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ref/model/train_options.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::train {

using tensor::Tensor;

/// The target that marks a row as ignored: the row does not count in the loss.
inline constexpr int kIgnored = -1;

/// Returns the input or the output of a head, [..., C], reshaped to rows [N,C].
template <class T>
Tensor<T> reshape_to_rows(Tensor<T> values) {
  const std::size_t width = values.shape().back();
  values.reshape({values.size() / width, width});
  return values;
}

template <class T>
struct CrossEntropyForward {
  T loss;
  Tensor<T> log_probabilities;  ///< [N,C]
};

/// Computes the mean cross-entropy with class weights w and label smoothing s.
/// Source    docs/specification/training.md
/// Computes  logp = log_softmax(logits) ; t = targets ;
///           over the rows i that are not ignored: a_i = w_{t_i} (-logp_{i,t_i}) ;
///           b_i = sum_c w_c (-logp_ic) ;
///           l_i = (1-s) a_i + (s/C) b_i, without the second term if s = 0 ;
///           loss = (sum_i l_i) / (sum_i w_{t_i})
/// Shapes    logits, log_probabilities [N,C]; targets [N]; class_weights [C], or empty for ones
/// Requires  (C1) logits has rank 2 and extents of at least 1
///           (C2) there are N targets, each of them kIgnored or a class 0 .. C-1
///           (C3) class_weights is empty or has shape [C]; its elements and their sum are finite
///           and not negative  (C4) 0 <= label_smoothing <= 1
///           (C5) some row is not ignored and has a target of weight > 0
///           (C6) logits are so close to each other that log_probabilities and the loss are finite
///           (C8) logits are finite, including those of ignored rows
/// Order     docs/specification/determinism.md, rule R2 for all sums, rule R4 for the rest. The
///           sums run over the rows that are not ignored, numbered without gaps. So the bits are
///           the same as for the batch without its ignored rows
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Saves     log_probabilities
/// Throws    ContractError
template <numeric::Real T>
CrossEntropyForward<T> cross_entropy(const Tensor<T>& logits, const std::vector<int>& targets,
                                     const Tensor<T>& class_weights = {},
                                     const model::LossOptions& options = {});

/// Returns the gradient of the loss with respect to the logits.
///
/// The derivation: let q_ic = (1-s) w_{t_i} [c = t_i] + (s/C) w_c, with the symbols of
/// cross_entropy. The loss of row i is l_i = -sum_c q_ic logp_ic, and d logp_ic / d logit_ij = [c =
/// j] - p_ij, where p = exp(logp) are the probabilities. So d l_i / d logit_ij = p_ij sum_c q_ic -
/// q_ij, and sum_c q_ic = (1-s) w_{t_i} + (s/C) sum_c w_c.
/// Computes  W = sum_c w_c ; Q_i = (1-s) w_{t_i} + (s/C) W ;
///           q_ij = (s/C) w_j, and ((1-s) w_j) + ((s/C) w_j) for j = t_i ;
///           grad_logits_ij = (p_ij Q_i - q_ij) / (sum_i w_{t_i}), +0 in ignored rows
/// Shapes    log_probabilities, grad_logits [N,C]; targets [N]; class_weights [C], or empty for
///           ones
/// Requires  (C2) to (C5) of cross_entropy; (C7) log_probabilities is what cross_entropy returned:
///           rank 2, finite
/// Order     rule R2 for both sums, rule R4 for the rest
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> cross_entropy_backward(const Tensor<T>& log_probabilities,
                                 const std::vector<int>& targets,
                                 const Tensor<T>& class_weights = {},
                                 const model::LossOptions& options = {});

}  // namespace normproof::ref::train
