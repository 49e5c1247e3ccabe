#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "verification/golden/plain/plain_blocks.hpp"

/// Softmax in one pass over blocks: the sum of exponentials is rescaled whenever the maximum grows.
/// The errors that can be injected keep an old sum, or an old weighted sum of values.
namespace normproof::verification::golden::plain {

/// The sites of these errors.
inline constexpr const char* kNotRescaledSum =
    "sum of exponentials not rescaled when the maximum grows";
inline constexpr const char* kNotRescaledValues =
    "sum of values not rescaled when the maximum grows";
inline constexpr const char* kNotRescaledSums =
    "sums of exponentials and values not rescaled when the maximum grows";

/// Returns the lengths of blocks for which these errors change a sum: the first block does not
/// have the first maximum of the `count` elements.
///
/// The first L of n random elements have the maximum with the probability L/n. The quick tier has
/// few long rows: for cross_entropy, three of 127 elements, three of 129, two of 264, two of 513.
/// The maxima of all of them lie in the first 64 elements with the probability 1.4e-5, and in the
/// first 128 with 1.4 %. So the corpora of some seeds do not show longer blocks. A case whose
/// elements grow to the end of a row would show blocks of every length.
template <class F>
BlockLengths lengths_before_maximum(std::size_t count, F element) {
  std::size_t largest = 0;
  for (std::size_t k = 1; k < count; ++k)
    if (element(largest) < element(k)) largest = k;
  constexpr std::size_t kLongestBlock = 64;
  return {.end = std::min(largest, kLongestBlock) + 1};
}

/// Returns, for each of `count` elements, the largest element of its block of `length` elements and
/// of the blocks before it.
template <class F>
auto running_maxima(std::size_t count, std::size_t length, F element) {
  std::vector<decltype(element(std::size_t{0}))> maxima;
  maxima.reserve(count);
  for (std::size_t begin = 0; begin < count; begin += length) {
    auto largest = begin == 0 ? element(0) : maxima.back();
    const std::size_t end = begin + length < count ? begin + length : count;
    for (std::size_t k = begin; k < end; ++k)
      if (largest < element(k)) largest = element(k);
    maxima.insert(maxima.end(), end - begin, largest);
  }
  return maxima;
}

}  // namespace normproof::verification::golden::plain
