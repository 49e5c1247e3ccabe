#pragma once

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/lanes.hpp"
#include "ref/ops/lane_sum.hpp"

/// The operations on `double`, other than + - * /, that the kernels of softmax and of the
/// activation functions need. generic_elements.hpp has the operations on the other scalars.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

template <class T>
struct Elements;

/// Records whether all numbers passed to observe() are finite. Use it in a loop that reads these
/// numbers for another purpose.
template <class T>
class FiniteCheck {
 public:
  void observe(const T& x) { finite_ = finite_ && Elements<T>::all_finite(&x, 1); }
  bool operator()() const { return finite_; }

 private:
  bool finite_ = true;
};

template <>
class FiniteCheck<double> {
 public:
  // For a finite x, x - x is +0. Otherwise it is NaN.
  void observe(double x) { bits_ |= numeric::to_bits(x - x); }  // NOLINT(misc-redundant-expression)
  void observe(Pack x) { packed_ |= numeric::to_bits(x - x); }  // NOLINT(misc-redundant-expression)
  bool operator()() const {
    numeric::Int bits = bits_;
    for (std::size_t l = 0; l < kPackWidth; ++l) bits |= packed_[l];
    return bits == 0;
  }

 private:
  numeric::Int bits_ = 0;
  numeric::IntPack packed_{};
};

template <>
struct Elements<double> {
  static void exp(const double* x, std::size_t count, double* y) { numeric::exp(x, count, y); }
  static void exp_of_difference(const double* x, double m, std::size_t count, double* y) {
    numeric::exp_of_difference(x, m, count, y);
  }
  static void tanh(const double* x, std::size_t count, double* y) { numeric::tanh(x, count, y); }
  static void erf(const double* x, std::size_t count, double* y) { numeric::erf(x, count, y); }
  static double log(double x) { return numeric::log(x); }
  static void log(const double* x, std::size_t count, double* y) { numeric::log(x, count, y); }

  /// Whether all elements are finite. If an element x is not finite, x - x is NaN. Then the sum of
  /// all differences x - x is NaN too.
  static bool all_finite(const double* x, std::size_t count) {
    // NOLINTNEXTLINE(misc-redundant-expression)
    return contiguous_lane_sum<double>(count, [x](auto at) { return at(x) - at(x); }) == 0;
  }

  /// Returns whether every element is finite. If so, sets m to the largest of the elements; there
  /// must be at least one. Softmax subtracts m from its row. m is exact, so it adds no error. If +0
  /// and -0 are the largest elements, m may be either of them.
  static bool find_softmax_shift(const double* x, std::size_t count, double& m) {
    constexpr std::size_t kPacks = 4;
    constexpr std::size_t kElementsPerStep = kPacks * kPackWidth;
    double result = x[0];
    FiniteCheck<double> finite;
    std::size_t i = 0;
    if (count >= kElementsPerStep) {
      Pack most[kPacks];
      for (std::size_t k = 0; k < kPacks; ++k) most[k] = PackPosition{k * kPackWidth}(x);
      for (; i + kElementsPerStep <= count; i += kElementsPerStep) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kPacks; ++k) {
          const PackPosition at{i + k * kPackWidth};
          prefetch(at, x);
          const Pack next = at(x);
          most[k] = larger(most[k], next);
          finite.observe(next);
        }
      }
      for (std::size_t k = 1; k < kPacks; ++k) most[0] = larger(most[0], most[k]);
      for (std::size_t l = 0; l < kPackWidth; ++l) result = larger(result, most[0][l]);
    }
    for (; i < count; ++i) {
      result = larger(result, x[i]);
      finite.observe(x[i]);
    }
    m = result;
    return finite();
  }

  /// Returns `a` if v < 0, else `b`.
  template <class V>
  static V select_by_sign(V v, V a, V b) {
    return v < 0 ? a : b;
  }

  /// Returns `a` if v is above the threshold, else `b`.
  template <class V>
  static V select_if_above(V v, double threshold, V a, V b) {
    return v > threshold ? a : b;
  }

  /// Returns `a` if x > 0, else +0. The result is the product of `a` and the derivative of
  /// positive_part at x.
  template <class V>
  static V select_if_positive(V x, V a) {
    return x > 0 ? a : V{};
  }
  /// Returns max(x, +0).
  template <class V>
  static V positive_part(V x) {
    return select_if_positive(x, x);
  }

 private:
  template <class V>
  static V larger(V a, V b) {
    return a < b ? b : a;
  }
};

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
