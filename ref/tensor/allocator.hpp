#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace normproof::ref::tensor {

/// Allocate and release memory for tensors. Released blocks of 64 KiB or more are kept for later
/// tensors, so a step of a layer need not map, zero and unmap memory again, even if the lengths of
/// batches differ. Adjacent free ranges are merged, and memory lies on huge pages if the system
/// supports them. The memory in use plus the memory kept stays below 1 GiB, or below the maximum
/// that was ever in use if that is more. Under AddressSanitizer and on systems without mmap,
/// nothing is kept. The functions may be called from any thread.
/// Throws    std::bad_alloc
void* allocate_block(std::size_t bytes);
void release_block(void* block, std::size_t bytes) noexcept;

/// Returns the number of bytes that are kept for later tensors and are not in use.
std::size_t free_cached_bytes();

/// A standard allocator that calls allocate_block and release_block.
template <class T>
struct Allocator {
  using value_type = T;

  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(allocate_block(count * sizeof(T)));
  }
  void deallocate(T* p, std::size_t count) noexcept { release_block(p, count * sizeof(T)); }

  template <class U>
  bool operator==(const Allocator<U>&) const {
    return true;
  }
};

}  // namespace normproof::ref::tensor
