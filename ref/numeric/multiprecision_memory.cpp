#include "ref/numeric/multiprecision_memory.hpp"

#include <gmp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "ref/numeric/arb.hpp"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

extern "C" void* __gmp_default_allocate(std::size_t);

namespace normproof::ref::numeric {
namespace {

/// Whether the reserve was needed.
std::atomic<bool> is_exhausted{false};

/// The memory that is used when the system has none. Its pages exist only once they are used.
class Reserve {
 public:
  /// Returns memory of the reserve. Ends the process if that is exhausted too.
  void* allocate(std::size_t size) {
    is_exhausted = true;
    const std::lock_guard lock(mutex_);
    const std::size_t whole = kHeader + (size + kHeader - 1) / kHeader * kHeader;
    if (size > kBytes || whole > kBytes - used_) {
      std::fputs("normproof: memory is exhausted\n", stderr);
      std::abort();
    }
    std::byte* const block = bytes_ + used_;
    std::memcpy(block, &size, sizeof size);
    used_ += whole;
    ++blocks_;
    return block + kHeader;
  }

  bool contains(const void* p) const {
    const auto* const byte = static_cast<const std::byte*>(p);
    return std::less_equal<>()(bytes_, byte) && std::less<>()(byte, bytes_ + kBytes);
  }

  static std::size_t size_of(const void* p) {
    std::size_t size = 0;
    std::memcpy(&size, static_cast<const std::byte*>(p) - kHeader, sizeof size);
    return size;
  }

  /// Releases a block. All memory is available again when no block is in use.
  void release() {
    const std::lock_guard lock(mutex_);
    if (--blocks_ == 0) used_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 20, kHeader = 16;

  alignas(kHeader) std::byte bytes_[kBytes];
  std::size_t used_ = 0, blocks_ = 0;
  std::mutex mutex_;
};

Reserve reserve;

void* allocate(std::size_t size) noexcept {
  void* const block = std::malloc(std::max<std::size_t>(size, 1));
  return block != nullptr ? block : reserve.allocate(size);
}

void release(void* block) noexcept {
  if (reserve.contains(block))
    reserve.release();
  else
    std::free(block);
}

/// Moves a block of the system to the reserve.
void* move_to_reserve(void* block, std::size_t old_size, std::size_t size) noexcept {
  void* const moved = reserve.allocate(size);
  std::memcpy(moved, block, std::min(old_size, size));
  std::free(block);
  return moved;
}

void* reallocate_in_reserve(void* block, std::size_t size) noexcept {
  void* const moved = allocate(size);
  std::memcpy(moved, block, std::min(Reserve::size_of(block), size));
  reserve.release();
  return moved;
}

void* reallocate_for_gmp(void* block, std::size_t old_size, std::size_t size) noexcept {
  if (reserve.contains(block)) return reallocate_in_reserve(block, size);
  void* const grown = std::realloc(block, std::max<std::size_t>(size, 1));
  return grown != nullptr ? grown : move_to_reserve(block, old_size, size);
}

void release_for_gmp(void* block, std::size_t) noexcept {
  release(block);
}

void* allocate_zeros(std::size_t count, std::size_t size) noexcept {
  void* const block = std::calloc(std::max<std::size_t>(count, 1), std::max<std::size_t>(size, 1));
  if (block != nullptr) return block;
  void* const zeros = reserve.allocate(count * size);
  std::memset(zeros, 0, count * size);
  return zeros;
}

void* reallocate_for_flint(void* block, std::size_t size) noexcept {
  if (block == nullptr) return allocate(size);
  if (reserve.contains(block)) return reallocate_in_reserve(block, size);
  void* const grown = std::realloc(block, std::max<std::size_t>(size, 1));
#if defined(__GLIBC__)
  return grown != nullptr ? grown : move_to_reserve(block, malloc_usable_size(block), size);
#else
  return grown;  // the size of the block is unknown; FLINT ends the process
#endif
}

/// Gives GMP and FLINT the functions above.
bool install() {
  void* (*present)(std::size_t) = nullptr;
  mp_get_memory_functions(&present, nullptr, nullptr);
  if (present != __gmp_default_allocate) return false;
  mp_set_memory_functions(allocate, reallocate_for_gmp, release_for_gmp);
  __flint_set_memory_functions(allocate, allocate_zeros, reallocate_for_flint, release);
  return true;
}

}  // namespace

void use_multiprecision_reserve() {
  static const bool is_installed = install();
  static_cast<void>(is_installed);
  is_exhausted = false;
}

void check_multiprecision_memory() {
  if (is_exhausted.load(std::memory_order_relaxed)) throw std::bad_alloc();
}

void require_multiprecision_memory(std::size_t bytes) {
  check_multiprecision_memory();
  void* const block = std::malloc(std::max<std::size_t>(bytes, 1));
  if (block == nullptr) throw std::bad_alloc();
  std::free(block);
}

}  // namespace normproof::ref::numeric
