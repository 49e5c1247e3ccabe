#pragma once

#include "ref/ops/activation_kernels.hpp"

/// The loops of sigmoid, log_sigmoid, softplus, tanh and mish (docs/specification/activations.md),
/// over plain pointers.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

/// Computes sigmoid: y = 1/(1 + exp(-x)).
template <class T>
std::size_t sigmoid_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return compute_from_exponentials(a, begin, end, [](auto at, const T*, const T* x, const T* e) {
    return sigmoid<T>(at(x), at(e));
  });
}

/// Computes the gradient of sigmoid: grad_x = grad_y e/(1 + e)^2, where e = exp(-|x|).
template <class T>
std::size_t sigmoid_backward_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const T one(1);
  return compute_from_exponentials(a, begin, end,
                                   [&](auto at, const T* grad_y, const T*, const T* e) {
                                     const auto below = at(e) + one;
                                     return at(grad_y) * (at(e) / (below * below));
                                   });
}

/// Computes tanh.
template <class T>
std::size_t tanh_activation_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(kChunk);
  T* t = scratch.get();
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    Elements<T>::tanh(x, count, t);
    fill(y, count, a.use_streaming_stores, [t](auto at) { return at(t); });
  });
}

/// Computes the gradient of tanh: grad_x = grad_y 4 e/(1 + e)^2, where e = exp(-2|x|).
template <class T>
std::size_t tanh_activation_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                              std::size_t end) {
  const T one(1), two(2), four(4);
  Scratch<T> scratch(kChunk);
  T* e = scratch.get();
  return for_each_finite_chunk(
      a, begin, end, [&](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        fill(e, count, false,
             [&](auto at) { return Elements<T>::select_by_sign(at(x), at(x), -at(x)) * two; });
        Elements<T>::exp(e, count, e);
        fill(grad_x, count, a.use_streaming_stores, [&](auto at) {
          const auto below = at(e) + one;
          return at(grad_y) * ((at(e) * four) / (below * below));
        });
      });
}

/// Computes l = log(1 + e) for `count` elements. The sum u = 1 + e is rounded; the second term adds
/// what log(u) lacks, so that the result keeps its digits for a small e.
template <class T>
void compute_log_of_one_plus(const T* e, std::size_t count, T* l) {
  const T one(1);
  fill(l, count, false, [&](auto at) { return at(e) + one; });
  Elements<T>::log(l, count, l);
  fill(l, count, false, [&](auto at) {
    const auto u = at(e) + one;
    return at(l) + (at(e) - (u - one)) / u;
  });
}

/// Computes log_sigmoid: y = x - log(1 + e) if x < 0, else -log(1 + e), where e = exp(-|x|).
template <class T>
std::size_t log_sigmoid_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  Scratch<T> scratch(2 * kChunk);
  T *const e = scratch.get(), *const l = e + kChunk;
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    compute_exp_of_minus_magnitude(x, count, e);
    compute_log_of_one_plus(e, count, l);
    fill(y, count, a.use_streaming_stores,
         [&](auto at) { return Elements<T>::select_by_sign(at(x), at(x) - at(l), -at(l)); });
  });
}

/// Computes the gradient of log_sigmoid: grad_x = grad_y/(1 + exp(x)).
template <class T>
std::size_t log_sigmoid_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                          std::size_t end) {
  return compute_from_exponentials(a, begin, end,
                                   [](auto at, const T* grad_y, const T* x, const T* e) {
                                     return at(grad_y) * sigmoid<T>(-at(x), at(e));
                                   });
}

/// Computes v = beta x and e = exp(-|v|) for `count` elements.
template <class T>
void softplus_exponentials(const T& beta, const T* x, std::size_t count, T* v, T* e) {
  fill(v, count, false, [&](auto at) { return at(x) * beta; });
  compute_exp_of_minus_magnitude(v, count, e);
}

/// Computes softplus: y = log(1 + exp(v))/beta with v = beta x, or x if v is above the threshold.
template <class T>
std::size_t softplus_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const SoftplusParameters<T>& p = *a.softplus;
  Scratch<T> scratch(3 * kChunk);
  T *const v = scratch.get(), *const e = v + kChunk, *const l = e + kChunk;
  return for_each_finite_chunk(a, begin, end, [&](const T*, const T* x, std::size_t count, T* y) {
    softplus_exponentials(p.beta, x, count, v, e);
    compute_log_of_one_plus(e, count, l);
    fill(y, count, a.use_streaming_stores, [&](auto at) {
      const auto sum = Elements<T>::select_by_sign(at(v), at(l), at(v) + at(l));
      return Elements<T>::select_if_above(at(v), p.threshold, at(x), sum / p.beta);
    });
  });
}

/// Computes the gradient of softplus: grad_x = grad_y/(1 + exp(-v)) with v = beta x, or grad_y if v
/// is above the threshold.
template <class T>
std::size_t softplus_backward_elements(const Elementwise<T>& a, std::size_t begin,
                                       std::size_t end) {
  const SoftplusParameters<T>& p = *a.softplus;
  Scratch<T> scratch(2 * kChunk);
  T *const v = scratch.get(), *const e = v + kChunk;
  return for_each_finite_chunk(
      a, begin, end, [&](const T* grad_y, const T* x, std::size_t count, T* grad_x) {
        softplus_exponentials(p.beta, x, count, v, e);
        fill(grad_x, count, a.use_streaming_stores, [&](auto at) {
          const auto product = at(grad_y) * sigmoid<T>(at(v), at(e));
          return Elements<T>::select_if_above(at(v), p.threshold, at(grad_y), product);
        });
      });
}

/// The gate g = tanh(log(1 + exp(x))) of mish as a quotient, in which nothing cancels.
/// Computes  with e = exp(-|x|): n = e (e + 2) and d = n + 2 if x < 0, else n = 1 + 2 e and d = n +
///           2 e^2; g = n/d
template <class V>
struct MishGate {
  V numerator, denominator;
};
template <class T, class V>
MishGate<V> mish_gate(const V& x, const V& e) {
  const V one = V{} + T(1), two = V{} + T(2);
  const V n = Elements<T>::select_by_sign(x, e * (e + two), e * two + one);
  return {n, n + Elements<T>::select_by_sign(x, two, (e * e) * two)};
}

/// Computes mish: y = x tanh(log(1 + exp(x))).
template <class T>
std::size_t mish_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  return compute_from_exponentials(a, begin, end, [](auto at, const T*, const T* x, const T* e) {
    const auto gate = mish_gate<T>(at(x), at(e));
    return at(x) * (gate.numerator / gate.denominator);
  });
}

/// Computes the gradient of mish: grad_x = grad_y (g + x g'), where the slope of the gate is g' = 4
/// c (1 + e)/d^2, with c = e if x < 0, else e^2.
template <class T>
std::size_t mish_backward_elements(const Elementwise<T>& a, std::size_t begin, std::size_t end) {
  const T one(1), four(4);
  return compute_from_exponentials(
      a, begin, end, [&](auto at, const T* grad_y, const T* x, const T* e) {
        const auto gate = mish_gate<T>(at(x), at(e));
        const auto c = Elements<T>::select_by_sign(at(x), at(e), at(e) * at(e));
        const auto slope = ((c * four) * (at(e) + one)) / gate.denominator / gate.denominator;
        return at(grad_y) * (gate.numerator / gate.denominator + at(x) * slope);
      });
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
