#pragma once

#include "ref/numeric/elementary.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/softmax.hpp"

/// What every attention computes, from queries that are scaled already to the gradients by them.
namespace normproof::ref::nn {

using tensor::Mask;
using tensor::Tensor;

/// Queries [M,d], keys [S,d] and values [S,e] of some heads, matrix by matrix; or their gradients.
template <class T>
struct AttentionOperands {
  ops::MatrixView<T> queries, keys, values;
};

/// A tensor [heads, M, S] of scores, weights or their gradients, head by head.
template <class T>
ops::MatrixView<T> of_heads(T* scores, const tensor::Shape& shape) {
  const std::size_t rows = shape[1], keys = shape[2], all = shape[0] * rows * keys;
  return {scores, rows, keys, keys, 1, 1, all, shape[0], rows * keys};
}
template <class T>
ops::MatrixView<const T> of_heads(const Tensor<T>& scores) {
  return of_heads(scores.data(), tensor::shape_of(scores));
}

/// Computes  scores = queries keys^T, R1
/// Shapes    result `shape`, [heads, M, S]
template <class T>
Tensor<T> attention_scores(const AttentionOperands<const T>& in, const tensor::Shape& shape) {
  Tensor<T> scores = tensor::empty_tensor<T>(shape);
  ops::matmul_into<T>(of_heads(scores.data(), shape), in.queries, ops::transposed(in.keys));
  return scores;
}

/// Computes  context = weights values, R1
template <class T>
void attend(const Tensor<T>& weights, const AttentionOperands<const T>& in,
            const ops::MatrixView<T>& context) {
  ops::matmul_into<T>(context, of_heads(weights), in.values);
}

/// The gradients, from grad_context [M,e].
/// Computes  grad_values = used^T grad_context ; grad_weights = drop(grad_context values^T) ;
///           grad_scores = softmax_backward(grad_weights) ; grad_queries = grad_scores keys ;
///           grad_keys = grad_scores^T queries
/// Requires  weights: the softmax of the scores; used: what multiplied the values, weights behind
///           dropout; drop(grad_weights): what dropout does to them in the backward
template <class T, class Drop>
void attention_backward_into(const AttentionOperands<T>& out, const AttentionOperands<const T>& in,
                             const Tensor<T>& weights, const Tensor<T>& used, Drop drop,
                             const ops::MatrixView<const T>& grad_context, const Mask& visible) {
  const tensor::Shape shape = tensor::shape_of(weights);
  ops::matmul_into<T>(out.values, ops::transposed(of_heads(used)), grad_context);
  Tensor<T> grad_weights = tensor::empty_tensor<T>(shape);
  ops::matmul_into<T>(of_heads(grad_weights.data(), shape), grad_context,
                      ops::transposed(in.values));
  drop(grad_weights);
  const Tensor<T> grad_scores = ops::softmax_backward(grad_weights, weights, visible);
  ops::matmul_into<T>(out.queries, of_heads(grad_scores), in.keys);
  ops::matmul_into<T>(out.keys, ops::transposed(of_heads(grad_scores)), in.queries);
}

/// The factor of the scores: 1 / sqrt(d) for queries of d features.
template <class T>
T attention_scale(std::size_t features) {
  return T(1) / numeric::square_root(T(static_cast<double>(features)));
}

}  // namespace normproof::ref::nn
