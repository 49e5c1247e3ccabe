#pragma once

#include "ref/nn/linear.hpp"
#include "ref/train/cross_entropy.hpp"

namespace normproof::ref::train {

/// The parameters of a head over a vocabulary. Its logits are weight x + bias.
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

/// Computes the cross-entropy of the head's logits, and its gradient, in one pass. The logits are
/// computed for one block of rows at a time, so they are never all in memory.
/// Source    docs/specification/training.md
/// Computes  logits = linear(x, head) ; loss = cross_entropy(logits, targets, options) ;
///           grad_x, grad_weight, grad_bias = linear_backward(cross_entropy_backward(...))
/// Shapes    x [N,D]; targets [N]
/// Requires  the requirements of linear and of cross_entropy; (C9) block_rows is a multiple of 256
/// Order     docs/specification/determinism.md: the same bits as these functions. A block of rows
///           consists of whole blocks of rule R1, so the sums of grad_weight continue from one
///           block of rows to the next. grad_bias keeps the 32 lanes of rule R2 until the last row.
///           The losses of all rows are summed at the end
/// Memory    three tensors [block_rows, V]. If block_rows is 0, each of them takes about 16 MiB,
///           but has at least 256 rows
/// Throws    ContractError. Its message counts rows from the first row of a block
template <numeric::Real T>
VocabularyLoss<T> vocabulary_loss_gradient(const Tensor<T>& x, const VocabularyHead<T>& head,
                                           const std::vector<int>& targets,
                                           const model::LossOptions& options = {},
                                           std::size_t block_rows = 0);

/// Returns the loss that vocabulary_loss_gradient returns, with the same bits, without the
/// gradient.
template <numeric::Real T>
T vocabulary_loss(const Tensor<T>& x, const VocabularyHead<T>& head,
                  const std::vector<int>& targets, const model::LossOptions& options = {},
                  std::size_t block_rows = 0);

}  // namespace normproof::ref::train
