#pragma once

#include <cstddef>
#include <type_traits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/real.hpp"
#include "ref/tensor/tensor.hpp"

/// A cap on scores of attention and on logits: cap tanh(score / cap).
namespace normproof::ref::nn {

using tensor::Tensor;

/// Limits scores to the range from -cap to cap, in place. Returns the hyperbolic tangents t, from
/// which cap_scores_backward computes the derivative.
/// Computes  t = tanh(score / cap) ; score = t cap. A score that is not finite remains, so that
///           softmax rejects it if the key is visible. Its t is +0
/// Requires  cap is finite and above 0
template <class T>
Tensor<T> cap_scores(Tensor<T>& scores, const T& cap) {
  Tensor<T> tanh = tensor::empty_tensor<T>(tensor::shape_of(scores));
  T *const t = tanh.data(), *const score = scores.data();
  const std::size_t count = scores.size();
  for (std::size_t i = 0; i < count; ++i)
    t[i] = numeric::is_finite(score[i]) ? T(score[i] / cap) : T(0);
  if constexpr (std::is_same_v<T, double>) {
    numeric::tanh(t, count, t);
  } else {
    for (std::size_t i = 0; i < count; ++i) t[i] = numeric::tanh(t[i]);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (numeric::is_finite(score[i])) score[i] = t[i] * cap;
  return tanh;
}

/// Turns the gradients of capped scores into those of the scores, in place.
/// Computes  grad_score = grad_score (1 - t t), where t is what cap_scores returned
template <class T>
void cap_scores_backward(const Tensor<T>& tanh, Tensor<T>& grad_scores) {
  const T one(1);
  for (std::size_t i = 0; i < grad_scores.size(); ++i) {
    const T& t = tanh.data()[i];
    grad_scores.data()[i] = grad_scores.data()[i] * (one - t * t);
  }
}

}  // namespace normproof::ref::nn
