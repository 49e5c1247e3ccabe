#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "ref/model/operation.hpp"
#include "verification/golden/plain/plain_gates.hpp"

namespace normproof::verification::golden::plain {

/// The activations that are no product of x and a gate, and mish, each written from its
/// specification.
template <class T>
class PlainActivations : public PlainGates<T> {
 protected:
  using Base = PlainGates<T>;
  using Base::a_;
  using Base::sites_;
  using typename Base::Op;

  /// An activation as a function of x, and its derivative as a function of x and of the y that the
  /// backward pass reads.
  struct Pointwise {
    std::function<T(T x)> of;
    std::function<T(T x, T y)> slope;
    bool keeps_nan = true;  ///< whether a NaN of x reaches y
  };

  using Base::Base;

  Pointwise plain(const ref::model::ReluSquaredOptions&) {
    const auto positive = [this](const char* site, T x) {
      return x > 0 || sites_.any(site, {Op::other}) == Op::other ? x : T(0);
    };
    return {[=, this](T x) {
              const T r = positive("values below 0", x);
              return r * sites_.factor("second factor of y", r);
            },
            [=, this](T x, T) {
              const T two = sites_.any("2 of the slope", {Op::drop}) == Op::drop ? T(1) : T(2);
              return two * sites_.factor("x in grad_x", positive("slope below 0", x));
            },
            false};
  }

  Pointwise plain(const ref::model::SigmoidOptions&) {
    return {[this](T x) {
              // Error: 0 where the sigmoid is merely small.
              const bool is_tail = x < -8;
              if (is_tail && sites_.any("tail of s(x)", {Op::clip}) == Op::clip) return T(0);
              return this->sigmoid(x);
            },
            [this](T x, T y) {
              const T s = a_.style().from_y ? y : this->sigmoid(x);
              return sites_.factor("s(x) in grad_x", s) *
                     (1 - sites_.term("s(x) in the slope of s(x)", s));
            }};
  }

  Pointwise plain(const ref::model::LogSigmoidOptions&) {
    return {[this](T x) {
              const Op formula = sites_.any("formula of y", {Op::overflowing, Op::negate});
              if (formula == Op::overflowing)  // error: log(0) where exp(-x) is infinite
                return adl_log(1 / (1 + adl_exp(-x)));
              if (formula == Op::negate) return -softplus(x);  // error: softplus of x, not of -x
              return sites_.term("x below 0", std::min(x, T(0))) -
                     sites_.term("log(1 + exp(-|x|))", tail(x));
            },
            [this](T x, T y) {
              const T argument =
                  sites_.any("sign in the slope", {Op::negate}) == Op::negate ? x : -x;
              return a_.style().from_y ? this->exp(y - x) : this->sigmoid(argument);
            }};
  }

  Pointwise plain(const ref::model::SoftplusOptions& o) {
    const T beta = static_cast<T>(o.beta);
    const auto scaled = [=, this](T x) {
      return sites_.any("beta before exp", {Op::drop}) == Op::drop ? x : beta * x;
    };
    const auto is_above = [=, this](T x) {
      if (!o.threshold) return false;
      const Op op = sites_.any("threshold", {Op::drop, Op::other});
      if (op == Op::drop) return false;
      return (op == Op::other ? x : beta * x) > static_cast<T>(*o.threshold);
    };
    return {[=, this](T x) {
              if (is_above(x)) return x;
              const T y = softplus(scaled(x));
              const Op op = sites_.any("beta behind log", {Op::drop, Op::inverted});
              return op == Op::drop ? y : op == Op::inverted ? y * beta : a_.over(y, beta);
            },
            [=, this](T x, T y) {
              if (is_above(x)) return T(1);
              const T v = scaled(x);
              return a_.style().from_y ? this->exp(v - beta * y) : this->sigmoid(v);
            }};
  }

  Pointwise plain(const ref::model::TanhOptions&) {
    return {[this](T x) { return hyperbolic_tangent(x); },
            [this](T x, T y) {
              const T t = a_.style().from_y ? y : hyperbolic_tangent(x);
              return 1 - sites_.term("y^2 in grad_x", t * sites_.factor("second y in grad_x", t));
            }};
  }

  Pointwise plain(const ref::model::MishOptions&) {
    return {[this](T x) { return x * sites_.factor("gate", mish_gate(x)); },
            [this](T x, T) {
              const T t = mish_gate(x);
              return sites_.term("gate in grad_x", t) +
                     sites_.term(
                         "x times the slope of the gate",
                         x * (1 - sites_.term("gate^2 in grad_x", t * t)) *
                             sites_.factor("s(x) in grad_x", a_.over(T(1), 1 + this->exp(-x))));
            }};
  }

 private:
  /// Returns log(1 + e), in all digits if T has the function.
  T log_of_one_plus(T e) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!a_.style().divide) return std::log1p(e);
    }
    return adl_log(1 + e);
  }

  /// Returns log(1 + exp(-|v|)).
  T tail(T v) {
    const T magnitude = v < 0 ? -v : v;
    return log_of_one_plus(this->exp(-magnitude));
  }

  T softplus(T v) {
    switch (sites_.any("formula of softplus", {Op::overflowing, Op::clip})) {
      case Op::overflowing:  // error: the exponential of a large v is infinite
        return adl_log(1 + adl_exp(v));
      case Op::clip:  // error: what is left of v far below 0 is dropped
        return v < -5 ? T(0) : std::max(v, T(0)) + tail(v);
      default:
        return sites_.term("v above 0", std::max(v, T(0))) +
               sites_.term("log(1 + exp(-|v|))", tail(v));
    }
  }

  T hyperbolic_tangent(T x) {
    switch (sites_.any("formula of tanh", {Op::other, Op::square, Op::overflowing})) {
      case Op::other:  // error: 2 s(2x) - 1 cancels near 0
        return 2 / (1 + adl_exp(-2 * x)) - 1;
      case Op::square:  // error: the piecewise linear approximation
        return std::clamp(x, T(-1), T(1));
      case Op::overflowing:
        return this->tanh_that_overflows(x);
      default:
        break;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (a_.style().divide) {
        const T e = std::expm1(-2 * std::fabs(x));
        return std::copysign(a_.over(-e, 2 + e), x);
      }
    }
    return adl_tanh(x);
  }

  /// Returns tanh(log(1 + exp(x))).
  T mish_gate(T x) {
    switch (sites_.any("formula of mish", {Op::other, Op::square, Op::overflowing})) {
      case Op::other:  // error: the gate of silu
        return 1 / (1 + adl_exp(-x));
      case Op::square:  // error: tanh without softplus
        return adl_tanh(x);
      case Op::overflowing: {  // error: infinity / infinity for large x
        const T e = adl_exp(x), n = e * (e + 2);
        return n / (n + 2);
      }
      default:
        break;
    }
    if (!a_.style().divide) return adl_tanh(std::max(x, T(0)) + tail(x));
    const T e = this->exp(x < 0 ? x : -x);
    const T n = x < 0 ? e * (e + 2) : 1 + 2 * e;
    return a_.over(n, n + (x < 0 ? T(2) : 2 * e * e));
  }
};

}  // namespace normproof::verification::golden::plain
