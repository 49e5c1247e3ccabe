#pragma once

#include "ref/nn/linear.hpp"
#include "ref/train/cross_entropy.hpp"

namespace normproof::ref::train {

/// A head over a vocabulary: logits = weight x + bias.
template <class T>
struct VocabularyHead {
  const Tensor<T>& weight;  ///< [V,D]
  const Tensor<T>& bias;    ///< [V]
};

template <class T>
struct VocabularyLoss {
  T loss;
  Tensor<T> grad_x;    ///< [N,D]
  nn::Linear<T> head;  ///< grad_weight [V,D], grad_bias [V]
};

/// Computes the cross-entropy of a head's logits and its gradient in one pass, a few rows at a
/// time, so that the logits of all rows are never in memory at once.
/// Source    docs/specification/training.md
/// Computes  logits = linear(x, head) ; loss = cross_entropy(logits, targets, options) ;
///           grad_x, grad_weight, grad_bias = linear_backward(cross_entropy_backward(...))
/// Shapes    x [N,D]; targets [N]
/// Requires  those of linear and of cross_entropy; (C9) block_rows is a multiple of 256
/// Order     docs/specification/determinism.md: the bits of these functions. A block of rows
///           consists of whole blocks of rule R1, from which the sums of grad_weight continue.
///           grad_bias keeps the 32 lanes of rule R2 until the last row. The losses of all rows are
///           summed at the end
/// Memory    three tensors of block_rows V numbers. block_rows 0 means as many rows as make them
///           about 16 MiB each, at least 256
/// Throws    ContractError; rows in its message are counted from the first of their block
template <numeric::Real T>
VocabularyLoss<T> vocabulary_loss_gradient(const Tensor<T>& x, const VocabularyHead<T>& head,
                                           const std::vector<int>& targets,
                                           const model::LossOptions& options = {},
                                           std::size_t block_rows = 0);

/// Returns only the loss, with the same bits.
template <numeric::Real T>
T vocabulary_loss(const Tensor<T>& x, const VocabularyHead<T>& head,
                  const std::vector<int>& targets, const model::LossOptions& options = {},
                  std::size_t block_rows = 0);

}  // namespace normproof::ref::train
