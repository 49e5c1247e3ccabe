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

/// The result of a comparison. An element passes only if |got - expected| <= bound. NaN therefore
/// never passes. An element also fails if its bound is infinite or negative, because such a bound
/// claims nothing.
struct Comparison {
  bool passed = false;
  Shape got_shape;
  Shape expected_shape;
  std::string shape_failure;  ///< set if the shapes differ, in which case nothing was compared
  std::size_t count = 0;      ///< number of elements compared
  /// Indices of the elements that are not within the bound, ascending.
  std::vector<std::size_t> failed;
  double worst_ratio = 0;  ///< maximum of |got - expected| / bound, rounded up; 0/0 = 0, NaN = inf
  std::uint64_t max_ulp = 0;  ///< maximum distance of got from expected, each rounded to double
  /// The index of the element with the largest ratio; the first one if several are equal.
  std::size_t worst_index = 0;
  double worst_got = 0;  ///< the value at that index, rounded to double
  double worst_expected = 0;
  double worst_bound = 0;
  std::string worst_error;  ///< |got - expected| at that index, in decimal

  /// Describes the result in one sentence: the verdict, the number of elements, and the worst
  /// element with its index and with got, expected and bound in hexadecimal.
  std::string describe() const;
};

/// Compares element by element. It uses no norm, which could hide a single wrong element.
/// Computes  for each element whether |got - expected| <= bound. The difference is rounded away
///           from zero at 100 digits and the comparison is exact, so no element outside the bound
///           is accepted
/// Shapes    got, expected and bound alike; otherwise the comparison fails and names the shapes
/// Requires  (C1) expected is practically exact: its error is far below the bound
Comparison compare(const Tensor<double>& got, const Tensor<oracle100>& expected,
                   const Tensor<double>& bound);
Comparison compare(const Tensor<oracle100>& got, const Tensor<oracle100>& expected,
                   const Tensor<oracle100>& bound);

/// Whether `compare` accepts a single element.
bool is_within(double got, const oracle100& expected, double bound);

/// Compares a `double` evaluation with its own derived bound: got.value with the bound got.error.
Comparison compare(const Tensor<running_error>& got, const Tensor<oracle100>& expected);

/// Passes if the shapes and all bits are the same: +0 and -0 differ, and NaN differs from
/// everything. worst_ratio is 0 or infinite. worst_index is the first element with the largest
/// difference in ulps.
Comparison bits_equal(const Tensor<double>& got, const Tensor<double>& expected);

/// Returns every bit of a double in hexadecimal, such as "-0x1.8p+1", which can be read back.
std::string to_hex(double x);

}  // namespace normproof::verification::checks::compare
