#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace normproof::ref::tensor {

/// Allocates and releases memory for tensors. Released blocks of 64 KiB or more are kept for later
/// tensors; adjacent ranges are merged. They lie on huge pages if the system supports them. So the
/// outputs of a layer are not mapped, zeroed and unmapped at every step, even if batches differ in
/// length. The memory in use and the memory kept together stay below 1 GiB, or below the maximum
/// that was ever in use. Nothing is kept under AddressSanitizer or on systems without mmap. Safe to
/// call from any thread.
/// Throws    std::bad_alloc
void* allocate_block(std::size_t bytes);
void release_block(void* block, std::size_t bytes) noexcept;

/// Returns the number of bytes that are kept but not in use.
std::size_t kept_bytes();

/// A standard allocator that uses these blocks.
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
