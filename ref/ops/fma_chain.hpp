#pragma once

#include <cstddef>

#include "ref/numeric/multiply_add.hpp"

namespace normproof::ref::ops {

/// Terms in one chain of multiply-adds (docs/specification/determinism.md, R1).
inline constexpr std::size_t kChain = 256;

/// The order of every sum of products (docs/specification/determinism.md, R1), for any scalar.
///
/// Computes  total = sum_k a(k) b(k), k = 0 .. count-1, in blocks of 256 ascending k:
///           inside a block s = multiply_add(a(k), b(k), s) from s = +0; the blocks' results are
///           added from left to right, beginning with the first, or with the old total where `add`.
///           +0 for count = 0.
/// Requires  multiply_add(T, T, T) where T is defined; else that of ref/numeric/multiply_add.hpp
/// Error     gamma(min(count, 256) + ceil(count/256) - 1) sum_k |a(k) b(k)| for one rounding in
///           multiply_add; docs/derivations/error_analysis.md, section 7
///
/// -0 comes out by underflow alone: +0 + (-0) is +0, but an exact result that is negative and at
/// most half the smallest subnormal rounds to -0.
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
