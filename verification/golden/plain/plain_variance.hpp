#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ref/numeric/any_order_error.hpp"

#include "verification/golden/plain/plain_slices.hpp"

/// Variances that are right, and not the mean of squared distances from the mean.
namespace normproof::verification::golden::plain {

/// The elements of a block: how many, their mean, and the squares of their distances from it.
template <class T>
struct PlainMoments {
  T count = 0, mean = 0, squares = 0;

  /// Welford's recurrence.
  void take(T x) {
    count += 1;
    const T before = x - mean;
    mean += before / count;
    squares += before * (x - mean);
  }
  void merge(const PlainMoments& block) {
    const T all = count + block.count, apart = block.mean - mean;
    squares += block.squares + apart * apart * (count * block.count / all);
    mean += apart * (block.count / all);
    count = all;
  }
};

using ref::numeric::any_order_error;

/// A mean and a variance.
template <class T>
struct MeanAndVariance {
  T mean, variance;
};

/// Of blocks of `width` elements, merged in their order.
template <class T>
MeanAndVariance<T> welford_statistics(const std::vector<T>& x, std::size_t width) {
  PlainMoments<T> all;
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    PlainMoments<T> block;
    for (std::size_t i = begin; i < std::min(begin + width, x.size()); ++i) block.take(x[i]);
    if (begin == 0)
      all = block;
    else
      all.merge(block);
  }
  return {all.mean, all.squares / all.count};
}

/// How far the mean may be off where the smaller of two blocks moves that of the larger, m_A +
/// (m_B - m_A) n_B / n, in whatever tree of blocks, Welford's recurrence among them.
///
/// Source    docs/derivations/error_analysis.md, section 8
/// Computes  the mean as a sum in any order has it, its error larger by 3 u log2(n) (max - min); of
///           the variance nothing beside two passes
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
  if (!arithmetic.exact_operations || x.size() > 2)  // half a difference is exact where that is
    mean.error += 3 * arithmetic.unit_roundoff * std::log2(count) * (greatest - least);
  return {mean, squares / any_order_error(count)};
}

/// k + E[x-k] and E[(x-k)^2] - E[x-k]^2, k the first element.
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
