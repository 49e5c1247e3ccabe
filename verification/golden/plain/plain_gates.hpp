#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

/// The gates s(x) of activations `x s(x)` and their derivatives, each written from its
/// specification.
template <class T>
class PlainGates {
 protected:
  using Op = MutationOperator;

  explicit PlainGates(PlainArithmetic<T> arithmetic)
      : a_(std::move(arithmetic)), sites_(a_.sites()) {}

  T exp(T x) {
    using std::exp, std::exp2;
    if (sites_.any("exp", {Op::other}) == Op::other) return exp2(x);
    return a_.style().powers ? exp2(x * static_cast<T>(std::numbers::log2e)) : exp(x);
  }

  /// The gate of an activation as a function of x, and the derivative of the gate.
  struct GateFunction {
    std::function<T(T)> of, slope;
  };

  GateFunction sigmoid() {
    const auto slope = [&](T x) {
      const T s = sigmoid(x);
      return s * (1 - sites_.term("s(x) in the slope of s(x)", s));
    };
    return {[&](T x) { return sigmoid(x); }, slope};
  }
  GateFunction normal_distribution() {
    return {[&](T x) { return gate(x, "formula of s(x)"); }, [&](T x) { return density(x); }};
  }

  /// Returns `1 / (1 + exp(-x))`. The exponential may overflow, which gives the correct limit 0.
  T sigmoid(T x) {
    switch (sites_.any("formula of s(x)", {Op::other, Op::square, Op::overflowing})) {
      case Op::other:  // error: 1 + tanh cancels
        return (1 + adl_tanh(x / 2)) / 2;
      case Op::square:  // error: the piecewise linear approximation
        return std::clamp((x + 3) / 6, T(0), T(1));
      case Op::overflowing:  // error: infinity / infinity for large x
        return adl_exp(x) / (1 + adl_exp(x));
      default:
        break;
    }
    if (a_.style().divide) {
      const T e = exp(x < 0 ? x : -x);
      return a_.over(x < 0 ? e : T(1), 1 + e);
    }
    const Op factor = sites_.any("-1 of the exponent", {Op::other, Op::negate});
    const T minus = factor == Op::other    ? static_cast<T>(-1.702)
                    : factor == Op::negate ? T(1)
                                           : T(-1);
    return a_.over(T(1), sites_.term("1 beside exp", T(1)) + exp(minus * x));
  }

  /// Returns `(1 + erf(x / sqrt(2))) / 2`, the gate of GELU.
  T gate(T x, const char* formula) {
    switch (sites_.any(formula, {Op::other, Op::square})) {
      case Op::other:
        return plain_tanh_gate(x);
      case Op::square:  // error: the logistic approximation
        return 1 / (1 + adl_exp(static_cast<T>(-1.702) * x));
      default:
        break;
    }
    const T argument = x * factor("1/sqrt(2)", 1 / std::numbers::sqrt2);
    if (a_.style().divide) return adl_erfc(-argument) / 2;
    return (sites_.term("1 beside erf", T(1)) + adl_erf(argument)) / 2;
  }

  /// Returns `exp(-x^2 / 2) / sqrt(2 pi)`, the derivative of the gate of GELU.
  T density(T x) {
    const Op op = sites_.any("1/2 in the exponent", {Op::drop, Op::negate});
    const T half = op == Op::drop ? T(1) : op == Op::negate ? T(-0.5) : T(0.5);
    return exp(-(x * x) * half) *
           factor("1/sqrt(2 pi)", std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }

  static constexpr double kGeluCubicFactor = 0.044715;
  static constexpr double kSqrtOf2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

  /// Returns `value`, a constant factor of a formula, unless an error is injected at the site.
  T factor(const char* site, double value) {
    return sites_.factor(site, sites_.constant(site, static_cast<T>(value)));
  }

  static T plain_tanh_gate(T x) {
    const T root = static_cast<T>(kSqrtOf2OverPi), cubic = static_cast<T>(kGeluCubicFactor);
    return (1 + adl_tanh(root * (x + cubic * x * x * x))) / 2;
  }

  /// Returns `sqrt(2/pi) (x + 0.044715 x^3)`, the argument of tanh in GELU.
  T tanh_argument(T x) {
    return factor("sqrt(2/pi)", kSqrtOf2OverPi) *
           (x + sites_.term("cubic term", factor("0.044715", kGeluCubicFactor) * x * x * x));
  }

  /// Returns tanh(u) as `(e - 1) / (e + 1)` with `e = exp(2 u)`, which is NaN if e is infinite.
  static T tanh_that_overflows(T u) {
    const T e = adl_exp(u + u);
    return (e - 1) / (e + 1);
  }

  T tanh_gate(T x) {
    switch (sites_.any("formula of the gate", {Op::other, Op::square, Op::overflowing})) {
      case Op::other:
        return (1 + adl_erf(x / static_cast<T>(std::numbers::sqrt2))) / 2;
      case Op::square:  // error: the logistic approximation
        return 1 / (1 + adl_exp(static_cast<T>(-1.702) * x));
      case Op::overflowing:  // error: infinity / infinity for large x
        return (1 + tanh_that_overflows(tanh_argument(x))) / 2;
      default:
        break;
    }
    const T u = tanh_argument(x);
    if (a_.style().divide) return 1 / (1 + adl_exp(-2 * u));
    return (sites_.term("1 beside tanh", T(1)) + adl_tanh(u)) / 2;
  }

  /// Returns the derivative of the gate `(1 + tanh(u)) / 2`. It is `(1 - tanh(u)^2) / 2` times the
  /// derivative of u, where u is tanh_argument(x).
  T tanh_slope(T x) {
    const Op formula = sites_.any("tanh of the slope", {Op::overflowing});
    const T t = formula == Op::overflowing ? tanh_that_overflows(tanh_argument(x))
                                           : adl_tanh(tanh_argument(x));
    const T three =
        sites_.any("3 of the derivative of the cubic term", {Op::drop}) == Op::drop ? T(1) : T(3);
    const T cubic = sites_.constant("0.044715 of the slope", static_cast<T>(kGeluCubicFactor));
    const T slope = factor("sqrt(2/pi) of the slope", kSqrtOf2OverPi) *
                    (1 + sites_.term("derivative of the cubic term", three * cubic * x * x));
    return (1 - sites_.term("tanh^2", t * t)) * slope / 2;
  }

  PlainArithmetic<T> a_;
  Sites& sites_;
};

}  // namespace normproof::verification::golden::plain
