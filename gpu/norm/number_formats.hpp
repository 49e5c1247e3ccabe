#pragma once

#include <cstdint>

#include "gpu/device/span.hpp"
#include "ref/numeric/float_format.hpp"

/// The formats that float32 kernels load from and store to: `Element` is what lies in memory, widen
/// its number as a float, exactly, and narrow the element nearest to a float or a double, ties to
/// even; past the largest, infinity. Written in operations on bits, so that no instruction of a GPU
/// decides.
namespace normproof::gpu::norm {

NORMPROOF_DEVICE inline std::uint32_t bits_of(float v) {
  return __builtin_bit_cast(std::uint32_t, v);
}
NORMPROOF_DEVICE inline float float_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

/// Of the two floats beside v the one whose last bit is 1, or v where it is a float: a format of
/// 22 digits or fewer rounds it as it would round v.
NORMPROOF_DEVICE inline float odd_float(double v) {
  const auto nearest = static_cast<float>(v);
  const auto back = static_cast<double>(nearest);
  if (back == v || v != v) return nearest;
  const bool past = v < 0 ? back < v : v < back;  // farther from 0
  return float_of((past ? bits_of(nearest) - 1 : bits_of(nearest)) | 1);
}

struct Float32 {
  using Element = float;
  static constexpr auto kType = ref::numeric::FloatType::float32;
  NORMPROOF_DEVICE static float widen(Element e) { return e; }
  NORMPROOF_DEVICE static Element narrow(float v) { return v; }
  NORMPROOF_DEVICE static Element narrow(double v) { return static_cast<float>(v); }
};

/// The upper half of a float32.
struct BFloat16 {
  using Element = std::uint16_t;
  static constexpr auto kType = ref::numeric::FloatType::bfloat16;
  NORMPROOF_DEVICE static float widen(Element e) { return float_of(std::uint32_t{e} << 16); }
  NORMPROOF_DEVICE static Element narrow(float v) {
    const std::uint32_t bits = bits_of(v);
    if (v != v) return static_cast<Element>(bits >> 16 | 0x40);
    return static_cast<Element>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  NORMPROOF_DEVICE static Element narrow(double v) { return narrow(odd_float(v)); }
};

struct Float16 {
  using Element = std::uint16_t;
  static constexpr auto kType = ref::numeric::FloatType::float16;
  NORMPROOF_DEVICE static float widen(Element e) {
    const std::uint32_t sign = std::uint32_t{e} << 16 & 0x80000000;
    const std::uint32_t moved = std::uint32_t{e} << 13 & 0x0fffe000;
    if ((e & 0x7c00) == 0x7c00) return float_of(sign | 0x7f800000 | moved);
    // The biases of the two exponents are 127 and 15; a subnormal number is one of float32 before.
    return float_of(sign | bits_of(float_of(moved) * 0x1p112F));
  }
  NORMPROOF_DEVICE static Element narrow(float v) {
    constexpr std::uint32_t kInfinity = 0x7c00, kQuietNan = 0x7e00;
    const std::uint32_t sign = bits_of(v) >> 16 & 0x8000;
    const std::uint32_t bits = bits_of(v) & 0x7fffffff;
    std::uint32_t magnitude = 0;
    if (v != v)
      magnitude = kQuietNan;
    else if (bits >= 0x477ff000)  // 65520: halfway from the largest number to 2^16
      magnitude = kInfinity;
    else if (bits <
             0x38800000)  // 2^-14: 1/2 + |v| is rounded where a subnormal number is, at 2^-24
      magnitude = bits_of(float_of(bits) + 0.5F) - bits_of(0.5F);
    else
      magnitude = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
    return static_cast<Element>(sign | magnitude);
  }
  NORMPROOF_DEVICE static Element narrow(double v) { return narrow(odd_float(v)); }
};

/// What is loaded and stored at once: 16 bytes.
template <class Element>
struct alignas(16) Vector {
  static constexpr std::size_t kSize = 16 / sizeof(Element);
  Element element[kSize];
};

/// The elements from the i-th on, i a multiple of kSize: memory begins at a multiple of 16 bytes.
/// A GPU has one instruction for it, which nvcc takes for its own type of two words, and in a store
/// where it is named: it splits other assignments.
template <class Element>
NORMPROOF_DEVICE Vector<Element> load_vector(device::Span<const Element> from, std::size_t i) {
  (void)from[i + Vector<Element>::kSize - 1];
#if defined(__CUDACC__)
  return __builtin_bit_cast(Vector<Element>, *reinterpret_cast<const ulonglong2*>(&from[i]));
#else
  Vector<Element> v;
  __builtin_memcpy(&v, &from[i], sizeof v);
  return v;
#endif
}
/// Asks a GPU's second-level cache for what load_vector will load: a matter of speed alone.
template <class Element>
NORMPROOF_DEVICE void ask_for_vector(device::Span<const Element> from, std::size_t i) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(&from[i]));
#else
  (void)from;
  (void)i;
#endif
}
template <class Element>
NORMPROOF_DEVICE void store_vector(device::Span<Element> to, std::size_t i,
                                   const Vector<Element>& v) {
  (void)to[i + Vector<Element>::kSize - 1];
#if defined(__CUDACC__)
  __stwb(reinterpret_cast<ulonglong2*>(&to[i]), __builtin_bit_cast(ulonglong2, v));
#else
  __builtin_memcpy(&to[i], &v, sizeof v);
#endif
}

}  // namespace normproof::gpu::norm
