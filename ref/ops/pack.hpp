#pragma once

#include <cstddef>
#include <cstdint>

/// Kernels are compiled once for every scalar, and for `double` once more for each instruction set;
/// each of those lives in a namespace of its own, so that the linker never mixes them.
#ifndef NORMPROOF_ISA
#define NORMPROOF_ISA baseline
#endif

/// Loops over contiguous elements, written once: a formula is a function of `at`, where at(p)
/// stands for p[i], or, for `double`, for as many neighbours of it as a register holds. Operations
/// on packs are those on the elements, one by one, so the bits do not depend on the width.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

#if defined(__AVX512F__)
inline constexpr std::size_t kPackBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kPackBytes = 32;
#else
inline constexpr std::size_t kPackBytes = 16;
#endif
inline constexpr std::size_t kPackWidth = kPackBytes / sizeof(double);

typedef double Pack __attribute__((vector_size(kPackBytes)));
typedef double UnalignedPack __attribute__((vector_size(kPackBytes), aligned(8), may_alias));

struct At {
  std::size_t i;
  template <class T>
  const T& operator()(const T* p) const {
    return p[i];
  }
};

struct PackAt {
  std::size_t i;
  Pack operator()(const double* p) const { return *reinterpret_cast<const UnalignedPack*>(p + i); }
};

template <class T>
inline constexpr bool is_packed = false;
template <>
inline constexpr bool is_packed<double> = true;

inline void store(double* p, Pack v) {
  *reinterpret_cast<UnalignedPack*>(p) = v;
}

/// Stores past the caches: for outputs so large that they would only push the inputs out.
/// Requires  p aligned to 16 bytes; stream_fence() before another thread reads
inline void stream(double* p, Pack v) {
#if defined(__SSE2__)
  typedef double Half __attribute__((vector_size(16)));
  for (std::size_t k = 0; k < kPackWidth; k += 2) {
    const Half half{v[k], v[k + 1]};
#if defined(__clang__)
    __builtin_nontemporal_store(half, reinterpret_cast<Half*>(p + k));
#else
    __builtin_ia32_movntpd(p + k, half);
#endif
  }
#else
  store(p, v);
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

/// Asks for p[0 .. count-1] ahead of use.
template <class T>
inline void prefetch(const T* p, std::size_t count) {
  if constexpr (is_packed<T>)
    for (std::size_t i = 0; i < count; i += 8) __builtin_prefetch(p + i, 0, 2);
}

/// Computes  out_i = term(at i), i = 0 .. count-1
template <class T, class Term>
inline void fill(T* out, std::size_t count, bool past_caches, Term&& term) {
  std::size_t i = 0;
  if constexpr (is_packed<T>) {
    if (past_caches && reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
      for (; i + kPackWidth <= count; i += kPackWidth) stream(out + i, term(PackAt{i}));
    } else {
      for (; i + kPackWidth <= count; i += kPackWidth) store(out + i, term(PackAt{i}));
    }
  }
  for (; i < count; ++i) out[i] = term(At{i});
}

/// Computes  sum_i = sum_i + term(at i), i = 0 .. count-1
template <class T, class Term>
inline void accumulate(T* sum, std::size_t count, Term&& term) {
  std::size_t i = 0;
  if constexpr (is_packed<T>) {
    for (; i + kPackWidth <= count; i += kPackWidth)
      store(sum + i, PackAt{i}(sum) + term(PackAt{i}));
  }
  for (; i < count; ++i) sum[i] += term(At{i});
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
