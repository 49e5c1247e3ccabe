#pragma once

#include <cstdint>

#include "gpu/device/span.hpp"
#include "ref/numeric/float_format.hpp"

/// The storage formats of the float32 kernels. `Element` is the type in memory. `widen` converts an
/// element to a float, which is exact. `narrow` rounds a float or a double to the nearest element,
/// ties to even; numbers beyond the largest element become infinity. The conversions are bit
/// operations, so that they do not depend on the instructions of a GPU.
namespace normproof::gpu::norm {

NORMPROOF_DEVICE inline std::uint32_t bits_from_float(float v) {
  return __builtin_bit_cast(std::uint32_t, v);
}
NORMPROOF_DEVICE inline float float_from_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

/// Rounds to odd. Returns v if v is a float; otherwise the one of the two neighboring floats whose
/// last bit is 1. If the result is then rounded to a format with at most 22 significant bits, this
/// gives the same number as rounding v.
NORMPROOF_DEVICE inline float round_to_odd_float(double v) {
  const auto nearest = static_cast<float>(v);
  const auto back = static_cast<double>(nearest);
  if (back == v || v != v) return nearest;
  const bool past = v < 0 ? back < v : v < back;  // farther from 0
  return float_from_bits((past ? bits_from_float(nearest) - 1 : bits_from_float(nearest)) | 1);
}

struct Float32 {
  using Element = float;
  static constexpr auto kType = ref::numeric::FloatType::float32;
  NORMPROOF_DEVICE static float widen(Element e) { return e; }
  NORMPROOF_DEVICE static Element narrow(float v) { return v; }
  NORMPROOF_DEVICE static Element narrow(double v) { return static_cast<float>(v); }
};

/// bfloat16, the upper half of a float32.
struct BFloat16 {
  using Element = std::uint16_t;
  static constexpr auto kType = ref::numeric::FloatType::bfloat16;
  NORMPROOF_DEVICE static float widen(Element e) { return float_from_bits(std::uint32_t{e} << 16); }
  NORMPROOF_DEVICE static Element narrow(float v) {
    const std::uint32_t bits = bits_from_float(v);
    if (v != v) return static_cast<Element>(bits >> 16 | 0x40);
    return static_cast<Element>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  NORMPROOF_DEVICE static Element narrow(double v) { return narrow(round_to_odd_float(v)); }
};

struct Float16 {
  using Element = std::uint16_t;
  static constexpr auto kType = ref::numeric::FloatType::float16;
  NORMPROOF_DEVICE static float widen(Element e) {
    const std::uint32_t sign = std::uint32_t{e} << 16 & 0x80000000;
    const std::uint32_t moved = std::uint32_t{e} << 13 & 0x0fffe000;
    if ((e & 0x7c00) == 0x7c00) return float_from_bits(sign | 0x7f800000 | moved);
    // The product changes the exponent bias from 15 (float16) to 127 (float32). Before it, a
    // subnormal float16 is a subnormal float32.
    return float_from_bits(sign | bits_from_float(float_from_bits(moved) * 0x1p112F));
  }
  NORMPROOF_DEVICE static Element narrow(float v) {
    constexpr std::uint32_t kInfinity = 0x7c00, kQuietNan = 0x7e00;
    const std::uint32_t sign = bits_from_float(v) >> 16 & 0x8000;
    const std::uint32_t bits = bits_from_float(v) & 0x7fffffff;
    std::uint32_t magnitude = 0;
    if (v != v)
      magnitude = kQuietNan;
    else if (bits >= 0x477ff000)  // 65520: midway between the largest number and 2^16
      magnitude = kInfinity;
    else if (bits <
             0x38800000)  // below 2^-14, 1/2 + |v| rounds where a subnormal number does, at 2^-24
      magnitude = bits_from_float(float_from_bits(bits) + 0.5F) - bits_from_float(0.5F);
    else
      magnitude = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
    return static_cast<Element>(sign | magnitude);
  }
  NORMPROOF_DEVICE static Element narrow(double v) { return narrow(round_to_odd_float(v)); }
};

/// 16 bytes of elements, the unit of loads and stores.
template <class Element>
struct alignas(16) Vector {
  static constexpr std::size_t kSize = 16 / sizeof(Element);
  Element element[kSize];
};

/// Loads 16 bytes of elements, starting at index `i`, which must be a multiple of kSize. The memory
/// must begin at a multiple of 16 bytes. A GPU has one instruction for this. nvcc emits this
/// instruction for a load only if the type is CUDA's own type of two 64-bit words, and for a store
/// only if an intrinsic is called. nvcc splits all other assignments.
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
/// Prefetches data into the GPU's L2 cache: the data that load_vector with the same arguments will
/// load. This only affects speed.
template <class Element>
NORMPROOF_DEVICE void prefetch_vector(device::Span<const Element> from, std::size_t i) {
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
