#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ref/numeric/any_order_error.hpp"

#include "verification/golden/plain/plain_arithmetic.hpp"

/// Correct formulas of the variance, in addition to the usual mean of squared distances from the
/// mean.
namespace normproof::verification::golden::plain {

/// The moments of a block of elements: the number of elements, their mean, and the sum of squared
/// distances from the mean.
template <class T>
struct PlainBlockMoments {
  T count = 0, mean = 0, squares = 0;

  /// Adds x to the block by Welford's recurrence.
  void add_element(T x) {
    count += 1;
    const T before = x - mean;
    mean += before / count;
    squares += before * (x - mean);
  }
  void merge(const PlainBlockMoments& block) {
    const T all = count + block.count, apart = block.mean - mean;
    squares += block.squares + apart * apart * (count * block.count / all);
    mean += apart * (block.count / all);
    count = all;
  }
};

using ref::numeric::any_order_error;

/// The mean and the variance of a list of numbers.
template <class T>
struct MeanAndVariance {
  T mean, variance;
};

/// Computes mean and variance by Welford's recurrence over blocks of `width` elements. The blocks
/// are merged in order.
template <class T>
MeanAndVariance<T> welford_statistics(const std::vector<T>& x, std::size_t width) {
  PlainBlockMoments<T> all;
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    PlainBlockMoments<T> block;
    for (std::size_t i = begin; i < std::min(begin + width, x.size()); ++i) block.add_element(x[i]);
    if (begin == 0)
      all = block;
    else
      all.merge(block);
  }
  return {all.mean, all.squares / all.count};
}

/// Bounds the error of a mean that is merged from blocks. Two blocks A and B with the means m_A and
/// m_B are merged as `m_A + (m_B - m_A) n_B / n`. Here B is the smaller block, n_B is the number of
/// its elements, and n is the number of elements of both blocks. The bound is valid for every tree
/// of blocks; Welford's recurrence is one of these trees.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  the mean by a sum in any order. Its error is increased by `3 u log2(n) (max - min)`,
///           with the unit roundoff u. The variance is computed in two passes
inline MeanAndVariance<any_order_error> welford_statistics(const std::vector<any_order_error>& x,
                                                           std::size_t) {
  const double count = static_cast<double>(x.size());
  any_order_error sum = 0, squares = 0;
  double least = x.front().value, greatest = least;
  for (const any_order_error& element : x) {
    sum += element;
    least = std::min(least, element.value - element.error);
    greatest = std::max(greatest, element.value + element.error);
  }
  any_order_error mean = sum / any_order_error(count);
  for (const any_order_error& element : x) squares += (element - mean) * (element - mean);
  const ref::numeric::Arithmetic& arithmetic = ref::numeric::AnyOrderArithmetic::current();
  // With two elements the additional error is 0 if operations are exact, because half of an exact
  // difference is exact.
  if (!arithmetic.exact_operations || x.size() > 2)
    mean.error += 3 * arithmetic.unit_roundoff * std::log2(count) * (greatest - least);
  return {mean, squares / any_order_error(count)};
}

/// Computes mean and variance from the shifted elements x - k, with k the first element. The mean
/// is `k + E[x-k]`, and the variance is `E[(x-k)^2] - E[x-k]^2`.
template <class T>
MeanAndVariance<T> shifted_statistics(const std::vector<T>& x,
                                      const PlainArithmetic<T>& arithmetic) {
  const T n = static_cast<T>(static_cast<double>(x.size()));
  T sum = 0, squares = 0;
  for (const T element : x) {
    const T d = element - x.front();
    sum += d;
    squares = arithmetic.multiply_add(d, d, squares);
  }
  const T mean = sum / n;
  return {x.front() + mean, squares / n - mean * mean};
}

}  // namespace normproof::verification::golden::plain
