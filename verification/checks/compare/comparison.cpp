#include "verification/checks/compare/comparison.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "ref/numeric/hexadecimal.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/compare/ulp.hpp"

namespace normproof::verification::checks::compare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double nearest_double(double x) {
  return x;
}
double nearest_double(const oracle100& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}

// Computes got - expected, rounded away from zero.
void subtract(mpfr_ptr out, double got, mpfr_srcptr expected) {
  mpfr_d_sub(out, got, expected, MPFR_RNDA);
}
void subtract(mpfr_ptr out, const oracle100& got, mpfr_srcptr expected) {
  mpfr_sub(out, got.backend().data(), expected, MPFR_RNDA);
}

bool is_finite_bound(double bound) {
  return bound >= 0 && bound < kInfinity;
}
bool is_finite_bound(const oracle100& bound) {
  return mpfr_number_p(bound.backend().data()) != 0 && mpfr_sgn(bound.backend().data()) >= 0;
}

bool within(mpfr_srcptr error, double bound) {
  return mpfr_nan_p(error) == 0 && mpfr_cmp_d(error, bound) <= 0;
}
bool within(mpfr_srcptr error, const oracle100& bound) {
  return mpfr_lessequal_p(error, bound.backend().data()) != 0;
}

double bound_ratio(mpfr_srcptr error, const oracle100& bound) {
  if (mpfr_nan_p(error) != 0 || !is_finite_bound(bound)) return kInfinity;
  if (mpfr_zero_p(error) != 0) return 0;
  oracle100 ratio;
  mpfr_div(ratio.backend().data(), error, bound.backend().data(), MPFR_RNDU);
  return mpfr_get_d(ratio.backend().data(), MPFR_RNDU);
}

std::string to_decimal(mpfr_srcptr x) {
  char text[64];
  mpfr_snprintf(text, sizeof text, "%.3Re", x);
  return text;
}

std::string shape_sentence(const char* what, const Shape& shape, const Shape& expected) {
  return fmt::format("{} has shape {}, expected {}", what, ref::tensor::to_string(shape),
                     ref::tensor::to_string(expected));
}

template <class T, class U>
bool check_shapes(Comparison& result, const Tensor<T>& got, const Tensor<U>& expected) {
  result.got_shape = ref::tensor::shape_of(got);
  result.expected_shape = ref::tensor::shape_of(expected);
  if (result.got_shape == result.expected_shape) return true;
  result.shape_failure = shape_sentence("got", result.got_shape, result.expected_shape);
  return false;
}

/// Stores |got - expected| in `error`. Returns whether it is at most the bound.
template <class T, class B>
bool is_within_bound(oracle100& error, const T& got, const oracle100& expected, const B& bound) {
  subtract(error.backend().data(), got, expected.backend().data());
  mpfr_abs(error.backend().data(), error.backend().data(), MPFR_RNDN);
  return is_finite_bound(bound) && within(error.backend().data(), bound);
}

template <class T, class B>
Comparison compare_elements(const Tensor<T>& got, const Tensor<oracle100>& expected,
                            const Tensor<B>& bound) {
  Comparison result;
  if (!check_shapes(result, got, expected)) return result;
  if (ref::tensor::shape_of(bound) != result.expected_shape) {
    result.shape_failure =
        shape_sentence("bound", ref::tensor::shape_of(bound), result.expected_shape);
    return result;
  }
  result.count = expected.size();
  double worst = -1;
  oracle100 error;
  for (std::size_t i = 0; i < result.count; ++i) {
    const T& value = got.data()[i];
    const oracle100& target = expected.data()[i];
    const B& limit = bound.data()[i];
    if (!is_within_bound(error, value, target, limit)) result.failed.push_back(i);
    const std::uint64_t ulps = ulp_distance(nearest_double(value), nearest_double(target));
    if (ulps > result.max_ulp) result.max_ulp = ulps;
    const double ratio = bound_ratio(error.backend().data(), oracle100(limit));
    if (ratio > worst) {
      worst = ratio;
      result.worst_ratio = ratio;
      result.worst_index = i;
      result.worst_got = nearest_double(value);
      result.worst_expected = nearest_double(target);
      result.worst_bound = nearest_double(limit);
      result.worst_error = to_decimal(error.backend().data());
    }
  }
  result.passed = result.failed.empty();
  return result;
}

}  // namespace

std::string to_hex(double x) {
  return ref::numeric::hexadecimal(x);
}

std::string Comparison::describe() const {
  if (!shape_failure.empty()) return "fails: " + shape_failure + ".";
  const std::string verdict =
      passed ? fmt::format("passes: all {} elements of {} are within their bounds", count,
                           ref::tensor::to_string(expected_shape))
             : fmt::format("fails: {} of {} elements of {} are not within their bounds",
                           failed.size(), count, ref::tensor::to_string(expected_shape));
  if (count == 0) return verdict + ".";
  return fmt::format(
      "{}; at most {} ulp off; the worst is {}: got {}, expected {}, error {}, bound {}, ratio "
      "{:.3g}.",
      verdict, max_ulp == kInfiniteUlpDistance ? "infinitely many" : std::to_string(max_ulp),
      ref::tensor::index_to_string(worst_index, expected_shape), to_hex(worst_got),
      to_hex(worst_expected), worst_error, to_hex(worst_bound), worst_ratio);
}

Comparison compare(const Tensor<double>& got, const Tensor<oracle100>& expected,
                   const Tensor<double>& bound) {
  return compare_elements(got, expected, bound);
}

Comparison compare(const Tensor<oracle100>& got, const Tensor<oracle100>& expected,
                   const Tensor<oracle100>& bound) {
  return compare_elements(got, expected, bound);
}

bool is_within(double got, const oracle100& expected, double bound) {
  oracle100 error;
  return is_within_bound(error, got, expected, bound);
}

Comparison compare(const Tensor<running_error>& got, const Tensor<oracle100>& expected) {
  Tensor<double> value = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(got));
  Tensor<double> bound = value;
  for (std::size_t i = 0; i < got.size(); ++i) {
    value.data()[i] = got.data()[i].value;
    bound.data()[i] = got.data()[i].error;
  }
  return compare_elements(value, expected, bound);
}

Comparison compare_bits(const Tensor<double>& got, const Tensor<double>& expected) {
  Comparison result;
  if (!check_shapes(result, got, expected)) return result;
  result.count = expected.size();
  for (std::size_t i = 0; i < result.count; ++i) {
    const double a = got.data()[i];
    const double b = expected.data()[i];
    const bool same = a == a && std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    const std::uint64_t ulps = ulp_distance(a, b);
    if (i == 0 || (!same && (result.failed.empty() || ulps > result.max_ulp))) {
      result.worst_index = i;
      result.worst_got = a;
      result.worst_expected = b;
      result.worst_error = fmt::format("{:.3g}", std::fabs(a - b));
    }
    if (!same) {
      result.failed.push_back(i);
      result.worst_ratio = kInfinity;
    }
    if (ulps > result.max_ulp) result.max_ulp = ulps;
  }
  result.passed = result.failed.empty();
  return result;
}

}  // namespace normproof::verification::checks::compare
