#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::checks::compare {

using ref::numeric::oracle100;
using ref::numeric::running_error;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// The result of comparing two tensors. An element passes only if |got - expected| <= bound, so NaN
/// never passes. An element also fails if its bound is infinite or negative, because such a bound
/// claims nothing.
struct Comparison {
  bool passed = false;
  Shape got_shape;
  Shape expected_shape;
  std::string shape_failure;  ///< set if the shapes differ, in which case nothing was compared
  std::size_t count = 0;      ///< number of elements compared
  /// The indices of the elements that fail, in ascending order.
  std::vector<std::size_t> failed;
  double worst_ratio = 0;  ///< maximum of |got - expected| / bound, rounded up; 0/0 = 0, NaN = inf
  std::uint64_t max_ulp = 0;  ///< maximum distance of got from expected, each rounded to double
  /// The index of the element with the largest ratio of error to bound. If several elements have
  /// this ratio, it is the first of them.
  std::size_t worst_index = 0;
  double worst_got = 0;  ///< the value at that index, rounded to double
  double worst_expected = 0;
  double worst_bound = 0;
  std::string worst_error;  ///< |got - expected| at that index, in decimal

  /// Returns one sentence with the verdict, the number of elements, and the worst element: its
  /// index, and got, expected and bound in hexadecimal.
  std::string describe() const;
};

/// Compares two tensors element by element. It does not use a norm of the difference, which could
/// hide a single wrong element.
/// Computes  for each element whether |got - expected| <= bound. The difference is rounded away
///           from zero at 100 digits and then compared exactly, so that no element outside its
///           bound passes
/// Shapes    got, expected and bound have the same shape; otherwise the comparison fails and names
///           the shapes
/// Requires  (C1) the error of `expected` is far below the bound
Comparison compare(const Tensor<double>& got, const Tensor<oracle100>& expected,
                   const Tensor<double>& bound);
Comparison compare(const Tensor<oracle100>& got, const Tensor<oracle100>& expected,
                   const Tensor<oracle100>& bound);

/// Whether `compare` accepts a single element with these values.
bool is_within(double got, const oracle100& expected, double bound);

/// Compares a `double` evaluation with the exact values. The bound of each element is got.error,
/// the error bound that the evaluation itself has computed.
Comparison compare(const Tensor<running_error>& got, const Tensor<oracle100>& expected);

/// Passes if the shapes and all bits are the same. Hence +0 and -0 differ. NaN differs from
/// everything, even from itself. In the result, worst_ratio is 0 or infinite, and worst_index is
/// the first element with the largest difference in ulps.
Comparison compare_bits(const Tensor<double>& got, const Tensor<double>& expected);

/// Returns a double exactly, in hexadecimal, such as "-0x1.8p+1".
std::string to_hex(double x);

}  // namespace normproof::verification::checks::compare
