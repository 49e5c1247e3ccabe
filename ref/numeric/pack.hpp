#pragma once

#include <cstddef>
#if defined(__FMA__)
#include <immintrin.h>
#endif

/// The namespace of the kernels in a source file. Kernels on `double` are compiled once per
/// instruction set, each version in an inline namespace with the name of the set, so that the
/// linker never mixes the versions. NORMPROOF_ISA is that name.
#ifndef NORMPROOF_ISA
#define NORMPROOF_ISA baseline
#endif

/// A Pack holds the neighboring doubles that fit a register. Operations on packs apply to the
/// elements one by one, so the bits do not depend on the width. A formula is a function whose
/// parameter is a position with an index i: an At for one element, or a PackPosition for a pack.
/// The parameter has the name `at`. The call `at(p)` reads p[i], or the pack that begins at p[i].
/// The call `at.set(p, v)` writes v to the same place.
namespace normproof::ref::numeric {
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
  template <class T>
  void set(T* p, const T& v) const {
    p[i] = v;
  }
};

struct PackPosition {
  std::size_t i;
  Pack operator()(const double* p) const { return *reinterpret_cast<const UnalignedPack*>(p + i); }
  void set(double* p, Pack v) const { *reinterpret_cast<UnalignedPack*>(p + i) = v; }
};

template <class T>
inline constexpr bool is_packed = false;
template <>
inline constexpr bool is_packed<double> = true;

inline void store(double* p, Pack v) {
  *reinterpret_cast<UnalignedPack*>(p) = v;
}

/// Returns a pack in which every element is x.
inline Pack broadcast(double x) {
#if defined(__AVX512F__)
  return _mm512_set1_pd(x);
#elif defined(__FMA__)
  return _mm256_set1_pd(x);
#else
  Pack v;
  for (std::size_t k = 0; k < kPackWidth; ++k) v[k] = x;
  return v;
#endif
}

/// Returns `a b + c`, with each element rounded once. If the instruction set has an instruction for
/// this, it is used; otherwise the library function is used, which gives the same bits.
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  Pack v;
  for (std::size_t k = 0; k < kPackWidth; ++k) v[k] = __builtin_fma(a[k], b[k], c[k]);
  return v;
#endif
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::numeric
