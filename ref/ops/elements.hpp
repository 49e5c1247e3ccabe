#pragma once

#include "ref/numeric/elementary_array.hpp"
#include "ref/ops/lane_sum.hpp"

/// What the kernels of softmax and of the activations need of a scalar beyond + - * /. Those of the
/// other scalars are in generic_elements.hpp.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

template <class T>
struct Elements;

template <>
struct Elements<double> {
  static void exp(const double* x, std::size_t count, double* y) { numeric::exp(x, count, y); }
  static void erf(const double* x, std::size_t count, double* y) { numeric::erf(x, count, y); }
  static double log(double x) { return numeric::log(x); }

  /// A term that is not finite makes x - x NaN, and with it the sum.
  static bool all_finite(const double* x, std::size_t count) {
    // NOLINTNEXTLINE(misc-redundant-expression)
    return contiguous_lane_sum<double>(count, [x](auto at) { return at(x) - at(x); }) == 0;
  }

  /// The largest of at least one element; which zero of two is not said.
  static double largest(const double* x, std::size_t count) {
    constexpr std::size_t kPacks = 4;
    constexpr std::size_t kStep = kPacks * kPackWidth;
    double result = x[0];
    std::size_t i = 0;
    if (count >= kStep) {
      Pack most[kPacks];
      for (std::size_t k = 0; k < kPacks; ++k) most[k] = PackAt{k * kPackWidth}(x);
      for (i = kStep; i + kStep <= count; i += kStep) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kPacks; ++k)
          most[k] = larger(most[k], PackAt{i + k * kPackWidth}(x));
      }
      for (std::size_t k = 1; k < kPacks; ++k) most[0] = larger(most[0], most[k]);
      for (std::size_t l = 0; l < kPackWidth; ++l) result = larger(result, most[0][l]);
    }
    for (; i < count; ++i) result = larger(result, x[i]);
    return result;
  }

  /// The constant that a row is shifted by: exact, so that it brings no error along.
  static double shift(const double* x, std::size_t count) {
    return largest(x, count);
  }

  /// a where v < 0, else b, for formulas that hold on both sides.
  template <class V>
  static V by_sign(V v, V a, V b) {
    return v < 0 ? a : b;
  }

  /// a where x > 0, else +0: the derivative of positive_part times a.
  template <class V>
  static V where_positive(V x, V a) {
    return x > 0 ? a : V{};
  }
  /// max(x, +0)
  template <class V>
  static V positive_part(V x) {
    return where_positive(x, x);
  }

 private:
  template <class V>
  static V larger(V a, V b) {
    return a < b ? b : a;
  }
};

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
