#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace normproof::ref::tensor {

/// Memory for tensors. What is given back in blocks of 64 KiB and more is kept for the next
/// tensors, ranges that touch each other joined, and lies on huge pages where the system has them:
/// a layer's outputs are not mapped, zeroed and unmapped at every step, though one batch is longer
/// than another. What is in use and what is kept stay together below 1 GiB, or below the most that
/// was ever in use. Nothing is kept under AddressSanitizer, or where there is no mmap. Safe to call
/// from any thread.
/// Throws    std::bad_alloc
void* allocate_block(std::size_t bytes);
void release_block(void* block, std::size_t bytes) noexcept;

/// The size of what is kept and not in use.
std::size_t kept_bytes();

/// The standard's allocator over these blocks.
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
