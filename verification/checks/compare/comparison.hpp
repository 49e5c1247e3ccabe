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

/// What a comparison found. An element passes only where |got - expected| <= bound holds, so NaN
/// never passes; neither does a bound that is infinite or negative, which claims nothing.
struct Comparison {
  bool passed = false;
  Shape got_shape;
  Shape expected_shape;
  std::string shape_failure;        ///< set where shapes differ: then nothing was compared
  std::size_t count = 0;            ///< elements compared
  std::vector<std::size_t> failed;  ///< of them not within the bound, ascending
  double worst_ratio = 0;     ///< largest |got - expected| / bound, rounded up; 0/0 = 0, NaN = inf
  std::uint64_t max_ulp = 0;  ///< largest distance of got from expected, each rounded to double
  std::size_t worst_index = 0;  ///< of the element with the largest ratio, the first of equals
  double worst_got = 0;         ///< there, rounded to double
  double worst_expected = 0;
  double worst_bound = 0;
  std::string worst_error;  ///< |got - expected| there, in decimal

  /// One sentence: the verdict, how many elements, and the worst one with its index, and got,
  /// expected and bound in hexadecimal.
  std::string describe() const;
};

/// The one comparator: componentwise, no norm that could hide one wrong entry.
/// Computes  for each element whether |got - expected| <= bound, the difference rounded away from
///           zero at 100 digits and the comparison exact: never accepts what lies outside
/// Shapes    got, expected, bound alike; anything else is a failure that names the shapes
/// Requires  (C1) expected is as good as exact: its own error is far below the bound
Comparison compare(const Tensor<double>& got, const Tensor<oracle100>& expected,
                   const Tensor<double>& bound);
Comparison compare(const Tensor<oracle100>& got, const Tensor<oracle100>& expected,
                   const Tensor<oracle100>& bound);

/// Whether `compare` of these passes: its verdict on one element.
bool is_within(double got, const oracle100& expected, double bound);

/// The `double` evaluation against its own derived bound: got.value with the bound got.error.
Comparison compare(const Tensor<running_error>& got, const Tensor<oracle100>& expected);

/// Passes where shapes and all bits are the same: +0 and -0 differ, NaN differs from everything.
/// worst_ratio is 0 or infinite; worst_index is the first element that differs by the most ulps.
Comparison bits_equal(const Tensor<double>& got, const Tensor<double>& expected);

/// "-0x1.8p+1": every bit of a double, readable back.
std::string to_hex(double x);

}  // namespace normproof::verification::checks::compare
