#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "verification/golden/mutants/plain_slices.hpp"

/// Variances that are right, and not the mean of squared distances from the mean.
namespace normproof::verification::golden::mutants {

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

/// The squares of the distances from the mean, from blocks of `width` merged in their order.
template <class T>
T welford_squares(const std::vector<T>& x, std::size_t width) {
  PlainMoments<T> all;
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    PlainMoments<T> block;
    for (std::size_t i = begin; i < std::min(begin + width, x.size()); ++i) block.take(x[i]);
    if (begin == 0)
      all = block;
    else
      all.merge(block);
  }
  return all.squares;
}

/// E[(x-k)^2] - E[x-k]^2, k the first element.
template <class T>
T shifted_variance(const std::vector<T>& x, const PlainArithmetic<T>& arithmetic) {
  const T n = static_cast<T>(static_cast<double>(x.size()));
  T sum = 0, squares = 0;
  for (const T element : x) {
    const T d = element - x.front();
    sum += d;
    squares = arithmetic.multiply_add(d, d, squares);
  }
  const T mean = sum / n;
  return squares / n - mean * mean;
}

}  // namespace normproof::verification::golden::mutants
