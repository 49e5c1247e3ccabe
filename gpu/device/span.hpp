#pragma once

#include <cstddef>
#include <type_traits>

#include "ref/numeric/device_function.hpp"
#if !defined(__CUDACC__)
#include "gpu/device/errors.hpp"
#endif

namespace normproof::gpu::device {

/// A view of memory for kernels. On the simulated device each index is checked.
/// Throws    DeviceError on the simulated device if an index is out of range
template <class T>
struct Span {
  Span() = default;
  Span(T* memory, std::size_t count) : data(memory), size(count) {}
  template <class U>
  requires(!std::is_const_v<U> && std::is_same_v<const U, T>)
      Span(const Span<U>& other)  // NOLINT(google-explicit-constructor)
      : data(other.data), size(other.size) {}

  NORMPROOF_DEVICE T& operator[](std::size_t i) const {
#if !defined(__CUDACC__)
    if (i >= size) throw_out_of_bounds_error(i, size);
#endif
    return data[i];
  }
  /// Whether the view refers to memory. The span of an absent argument does not.
  NORMPROOF_DEVICE bool given() const {
    return data != nullptr;
  }

  T* data = nullptr;
  std::size_t size = 0;
};

using Reals = Span<double>;
using ConstReals = Span<const double>;
using ConstFlags = Span<const bool>;
using ConstIndices = Span<const std::size_t>;

}  // namespace normproof::gpu::device
