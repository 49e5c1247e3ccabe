#pragma once

#include "ref/numeric/elementary.hpp"
#include "ref/ops/elements.hpp"

namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

#ifndef NORMPROOF_DOUBLE_ONLY
/// The operations that the kernels of softmax and of the activation functions need, for scalars
/// other than `double`. They process one element at a time.
template <class T>
struct Elements {
  static void exp(const T* x, std::size_t count, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = numeric::exp(x[i]);
  }
  static void exp_of_difference(const T* x, const T& m, std::size_t count, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = numeric::exp(T(x[i] - m));
  }
  static void tanh(const T* x, std::size_t count, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = numeric::tanh(x[i]);
  }
  static void erf(const T* x, std::size_t count, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = numeric::erf(x[i]);
  }
  static T log(const T& x) { return numeric::log(x); }
  static void log(const T* x, std::size_t count, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = numeric::log(x[i]);
  }

  static bool all_finite(const T* x, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (!numeric::is_finite(x[i])) return false;
    return true;
  }

  /// Returns a number near v without error and without derivative. It is a double if doubles are so
  /// dense near v that the exponential of the distance from v cannot overflow.
  static T shift_near(const T& v) {
    constexpr double kDense = 0x1p+40;
    if constexpr (numeric::is_enclosure<T>) {
      const double point = numeric::to_double(v);
      return -kDense <= point && point <= kDense ? T(point) : numeric::enclosed_midpoint(v);
    } else if constexpr (numeric::has_error_bound<T>) {
      return T(numeric::to_double(v));
    } else {
      return numeric::stop_gradient(v);
    }
  }

  /// Returns whether every element is finite. If so, sets m to a point near the largest element.
  /// Softmax subtracts m from its row. The exact result is the same for every constant m, so m
  /// counts as a number without error and without derivative.
  static bool find_softmax_shift(const T* x, std::size_t count, T& m) {
    if (!all_finite(x, count)) return false;
    m = shift_near(x[0]);
    for (std::size_t i = 1; i < count; ++i) {
      const T candidate = shift_near(x[i]);
      if (m < candidate) m = candidate;
    }
    return true;
  }

  /// Returns `a` if v < 0, else `b`. For an enclosure, the sign of the midpoint decides. This is
  /// correct only if `a` and `b` are values of the same function of v, written in two ways.
  static T select_by_sign(const T& v, const T& a, const T& b) {
    return numeric::to_double(v) < 0 ? a : b;
  }

  static T select_if_above(const T& v, double threshold, const T& a, const T& b) {
    if constexpr (numeric::is_enclosure<T>) {
      const auto ends = numeric::enclose(v);
      if (ends.lower > threshold) return a;
      if (ends.upper <= threshold) return b;
      using numeric::hull;
      using numeric::mp::hull;
      return hull(a, b);
    } else if constexpr (numeric::has_error_bound<T>) {
      const bool is_above = v.value > threshold;
      const T& taken = is_above ? a : b;
      const double apart = std::is_same_v<T, numeric::any_order_error> ? 2 * v.error : v.error;
      const double distance = is_above ? v.value - threshold : threshold - v.value;
      if (distance > apart || v.error == 0) return taken;
      const double gap = a.value < b.value ? b.value - a.value : a.value - b.value;
      return T(taken.value, gap + (a.error < b.error ? b.error : a.error));
    } else {
      return v > T(threshold) ? a : b;
    }
  }

  static T select_if_positive(const T& x, const T& a) {
    if constexpr (numeric::is_enclosure<T>) {
      const auto ends = numeric::enclose(x);
      if (ends.lower > 0) return a;
      if (ends.upper <= 0) return T(0);
      using numeric::hull;
      using numeric::mp::hull;
      return a * hull(T(0), T(1));
    } else if constexpr (numeric::has_error_bound<T>) {
      const T taken = x > T(0) ? a : T(0);
      // A tested implementation may be twice as far from the value as the exact result.
      const double apart = std::is_same_v<T, numeric::any_order_error> ? 2 * x.error : x.error;
      const bool certain = (x.value < 0 ? -x.value : x.value) > apart || x.error == 0;
      if (certain) return taken;
      return T(taken.value, (a.value < 0 ? -a.value : a.value) + a.error);
    } else {
      return x > T(0) ? a : T(0);
    }
  }
  static T positive_part(const T& x) {
    if constexpr (numeric::is_enclosure<T>) {
      return numeric::clamp(x, T(0), T(std::numeric_limits<double>::infinity()));
    } else if constexpr (numeric::has_error_bound<T>) {
      if (x.value > 2 * x.error) return x;
      return T(x.value > 0 ? x.value : 0, x.error);
    } else {
      return select_if_positive(x, x);
    }
  }
};
#endif

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
