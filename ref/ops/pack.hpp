#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ref/numeric/pack.hpp"

/// Loops over contiguous elements. The body of a loop is written once, and runs on single elements
/// and on packs of elements (ref/numeric/pack.hpp).
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

using numeric::At;
using numeric::is_packed;
using numeric::kPackBytes;
using numeric::kPackWidth;
using numeric::Pack;
using numeric::PackPosition;
using numeric::store;

/// Stores a pack in memory and bypasses the caches (a non-temporal store). It is for outputs so
/// large that they would evict the inputs from the caches.
/// Requires  p is aligned to kPackBytes, and stream_fence() is called before another thread reads
///           the data
inline void stream(double* p, Pack v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, reinterpret_cast<Pack*>(p));
#elif defined(__AVX512F__)
  __builtin_ia32_movntpd512(p, v);
#elif defined(__AVX__)
  __builtin_ia32_movntpd256(p, v);
#elif defined(__SSE2__)
  __builtin_ia32_movntpd(p, v);
#else
  store(p, v);
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

/// Whether an output of this number of elements is so large that it would evict the inputs from the
/// caches.
inline bool use_streaming_stores(std::size_t elements) {
  return elements >= (std::size_t{1} << 19);
}

/// Prefetches the data one page after p[i], where i is the index of the position. It is for the
/// first pass over inputs that come from memory, because the processor's own prefetching stops at
/// the end of a page.
template <class Place, class T>
inline void prefetch(Place at, const T* p) {
  if constexpr (std::is_same_v<Place, PackPosition>) {
    constexpr std::uintptr_t kPageBytes = 4096;
    const auto ahead = reinterpret_cast<std::uintptr_t>(p + at.i) + kPageBytes;
    __builtin_prefetch(__builtin_bit_cast(const void*, ahead));
  }
}

/// Sets out[i] to the term at position i, for i = 0 .. count-1. The function `term` takes a
/// position and returns the term.
template <class T, class Term>
inline void fill(T* out, std::size_t count, bool use_streaming_stores, Term&& term) {
  std::size_t i = 0;
  if constexpr (is_packed<T>) {
    if (use_streaming_stores) {
      for (; i < count && reinterpret_cast<std::uintptr_t>(out + i) % kPackBytes != 0; ++i)
        out[i] = term(At{i});
      for (; i + kPackWidth <= count; i += kPackWidth) stream(out + i, term(PackPosition{i}));
    } else {
      for (; i + kPackWidth <= count; i += kPackWidth) store(out + i, term(PackPosition{i}));
    }
  }
  for (; i < count; ++i) out[i] = term(At{i});
}

/// Adds the term at position i to sum[i], for i = 0 .. count-1. The function `term` takes a
/// position and returns the term.
template <class T, class Term>
inline void accumulate(T* sum, std::size_t count, Term&& term) {
  std::size_t i = 0;
  if constexpr (is_packed<T>) {
    for (; i + kPackWidth <= count; i += kPackWidth)
      store(sum + i, PackPosition{i}(sum) + term(PackPosition{i}));
  }
  for (; i < count; ++i) sum[i] += term(At{i});
}

/// The two terms that the elements at one position add to two sums.
template <class V>
struct TwoTerms {
  V first;
  V second;
};
template <class V>  // clang 14 cannot deduce the arguments of an aggregate without this guide
TwoTerms(V, V)->TwoTerms<V>;

/// Adds several rows to a row of sums, element by element, for the positions 0 .. width-1. Each of
/// `rows` is a function that takes a position and returns the element of its row. At each position
/// the elements are added in the order of `rows`. If kSums is 2, each function returns TwoTerms.
/// The first terms are then added to the first `width` sums, and the second terms to the next
/// `width` sums. A sum stays in a register while all rows are added.
template <std::size_t kSums = 1, class T, class... Rows>
inline void accumulate_rows(T* sum, std::size_t width, const Rows&... rows) {
  static_assert(kSums == 1 || kSums == 2);
  const auto add = [&](auto at) {
    auto first = at(sum);
    if constexpr (kSums == 2) {
      auto second = at(sum + width);
      const auto plus = [&](const auto& terms) {
        first += terms.first;
        second += terms.second;
      };
      (plus(rows(at)), ...);
      at.set(sum + width, second);
    } else {
      ((first += rows(at)), ...);
    }
    at.set(sum, first);
  };
  std::size_t i = 0;
  if constexpr (is_packed<T>)
    for (; i + kPackWidth <= width; i += kPackWidth) add(PackPosition{i});
  for (; i < width; ++i) add(At{i});
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
