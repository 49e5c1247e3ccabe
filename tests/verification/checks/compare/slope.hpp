#pragma once

#include <limits>

#include "ref/numeric/real.hpp"
#include "ref/tensor/tensor.hpp"

/// Computes derivatives of a forward with respect to one input. They are the expected values of
/// hand-written backwards. There are two methods: dual numbers at 50 digits apply the rules of
/// differentiation; the complex step at 100 digits does not need these rules. The methods share
/// only the forward.
namespace normproof::verification::checks::compare {

using ref::numeric::complex100;
using ref::numeric::dual;
using ref::numeric::oracle100;
using ref::numeric::oracle50;
using ref::tensor::Tensor;

/// The exponent of the complex step, which is 2^-400. The truncation error is the square of the
/// step times a third derivative. This error is below the last of 100 digits.
inline constexpr int kStepExponent = -400;
static_assert(-2 * kStepExponent > 2 * std::numeric_limits<oracle100>::digits);

/// Makes x the variable to differentiate by.
inline void make_variable(dual& x) {
  x.derivative = 1;
}
inline void make_variable(complex100& x) {
  x.im = ldexp(oracle100(1), kStepExponent);
}
/// Returns the derivative of y by the variable.
inline oracle100 read_derivative(const dual& y) {
  return oracle100(y.derivative);
}
inline oracle100 read_derivative(const complex100& y) {
  return ldexp(y.im, -kStepExponent);
}

/// Returns the derivatives `d f / d x_i` for all elements of x. f must read the tensor x; it is
/// called once per element.
template <class S, class F>
Tensor<oracle100> slopes(Tensor<S>& x, F f) {
  Tensor<oracle100> result = ref::tensor::empty_tensor<oracle100>(ref::tensor::shape_of(x));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const S kept = x.data()[i];
    make_variable(x.data()[i]);
    result.data()[i] = read_derivative(f());
    x.data()[i] = kept;
  }
  return result;
}

/// Returns the directional derivative `sum_i direction_i (d f / d x_i)` by the complex step. f must
/// read the tensor x; it is called once.
template <class F>
oracle100 compute_directional_slope(const Tensor<double>& direction, Tensor<complex100>& x, F f) {
  const Tensor<complex100> kept = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i].im = ldexp(oracle100(direction.data()[i]), kStepExponent);
  const oracle100 slope = read_derivative(f());
  x = kept;
  return slope;
}

/// Returns `sum_i grad_y_i y_i`.
template <class S>
S weighted_sum(const Tensor<double>& grad_y, const Tensor<S>& y) {
  S sum(0);
  for (std::size_t i = 0; i < y.size(); ++i) sum += S(grad_y.data()[i]) * y.data()[i];
  return sum;
}

}  // namespace normproof::verification::checks::compare
