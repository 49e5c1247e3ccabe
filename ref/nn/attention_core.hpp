#pragma once

#include <type_traits>
#include <utility>

#include "ref/nn/score_cap.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/softmax.hpp"

/// The computation that all kinds of attention share: from scaled queries, keys and values to the
/// output, and back to their gradients.
namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

/// Views of the queries [M,d], keys [S,d] and values [S,e] of some heads, or of their gradients.
/// Each head is one matrix of the views.
template <class T>
struct AttentionOperands {
  ops::MatrixView<T> queries, keys, values;
};

/// Returns a view of a tensor [heads, M, S] of scores, weights or their gradients. Each head is one
/// matrix of the view.
template <class T>
ops::MatrixView<T> scores_view(T* scores, const tensor::Shape& shape) {
  const std::size_t rows = shape[1], keys = shape[2], all = shape[0] * rows * keys;
  return {scores, rows, keys, keys, 1, 1, all, shape[0], rows * keys};
}
template <class T>
ops::MatrixView<const T> scores_view(const Tensor<T>& scores) {
  return scores_view(scores.data(), tensor::shape_of(scores));
}

/// Returns the scores of each head, `queries keys^T`. The products are summed in the order of rule
/// R1 of docs/specification/determinism.md. `shape` is [heads, M, S].
template <class T>
Tensor<T> attention_scores(const AttentionOperands<const T>& in, const tensor::Shape& shape) {
  Tensor<T> scores = tensor::empty_tensor<T>(shape);
  ops::matmul_into<T>(scores_view(scores.data(), shape), in.queries, ops::transposed(in.keys));
  return scores;
}

/// Computes the context of each head, `weights values`. The products are summed in the order of
/// rule R1 of docs/specification/determinism.md.
template <class T>
void apply_attention_weights(const Tensor<T>& weights, const AttentionOperands<const T>& in,
                             const ops::MatrixView<T>& context) {
  ops::matmul_into<T>(context, scores_view(weights), in.values);
}

/// Computes the gradients of queries, keys and values from grad_context [M,e].
/// Computes  grad_values = used^T grad_context ; grad_weights = drop(grad_context values^T) ;
///           grad_scores = scores_backward(grad_weights) ;
///           grad_queries = grad_scores keys ; grad_keys = grad_scores^T queries
/// Requires  `used` holds the weights after dropout, by which the forward multiplied the values;
///           drop(grad_weights) applies the backward of dropout in place; scores_backward is the
///           backward of the softmax and of what the forward does to the scores before the softmax
template <class T, class Drop, class ScoresBackward>
void write_attention_gradients(const AttentionOperands<T>& out,
                               const AttentionOperands<const T>& in, const Tensor<T>& used,
                               Drop drop, ScoresBackward scores_backward,
                               const ops::MatrixView<const T>& grad_context) {
  const tensor::Shape shape = tensor::shape_of(used);
  ops::matmul_into<T>(out.values, ops::transposed(scores_view(used)), grad_context);
  Tensor<T> grad_weights = tensor::empty_tensor<T>(shape);
  ops::matmul_into<T>(scores_view(grad_weights.data(), shape), grad_context,
                      ops::transposed(in.values));
  drop(grad_weights);
  const Tensor<T> grad_scores = scores_backward(std::as_const(grad_weights));
  ops::matmul_into<T>(out.queries, scores_view(grad_scores), in.keys);
  ops::matmul_into<T>(out.keys, ops::transposed(scores_view(grad_scores)), in.queries);
}

/// Returns the factor by which the scores are scaled: 1 / sqrt(d) for queries of d features.
template <class T>
T attention_scale(std::size_t features) {
  return T(1) / numeric::square_root(T(static_cast<double>(features)));
}

}  // namespace normproof::ref::nn
