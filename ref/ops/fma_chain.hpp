#pragma once

#include <cstddef>

#include "ref/numeric/multiply_add.hpp"

namespace normproof::ref::ops {

/// The number of terms that one chain of multiply-adds sums up (docs/specification/determinism.md,
/// rule R1).
inline constexpr std::size_t kChain = 256;

/// Computes a sum of products in the order of rule R1 of docs/specification/determinism.md, for any
/// scalar.
///
/// Computes  total = sum_k a(k) b(k) for k = 0 .. count-1, in blocks of 256 ascending k. Inside a
///           block, s = multiply_add(a(k), b(k), s), starting from s = +0. The results of the
///           blocks are added from left to right. The sum starts with the first block, or with the
///           old total if `add` is true. The result is +0 for count = 0
/// Requires  multiply_add(T, T, T) is declared together with T, or is the one in
///           ref/numeric/multiply_add.hpp
/// Error     gamma(min(count, 256) + ceil(count/256) - 1) sum_k |a(k) b(k)| if multiply_add rounds
///           once; docs/error_analysis.md, section 7
///
/// The result is -0 only after underflow: +0 + (-0) is +0, but a negative exact result of at most
/// half the smallest subnormal number is rounded to -0.
template <class T, class Left, class Right>
void fma_chain(std::size_t count, Left&& a, Right&& b, T& total, bool add = false) {
  using numeric::multiply_add;
  if (count == 0 && !add) total = T(0);
  for (std::size_t begin = 0; begin < count; begin += kChain) {
    const std::size_t end = count - begin < kChain ? count : begin + kChain;
    T sum(0);
    for (std::size_t k = begin; k < end; ++k) sum = multiply_add(a(k), b(k), sum);
    if (begin == 0 && !add)
      total = sum;
    else
      total += sum;
  }
}

}  // namespace normproof::ref::ops
