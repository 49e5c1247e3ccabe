#include "ref/tensor/allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::tensor {
namespace {

#if defined(__SANITIZE_ADDRESS__) || !defined(__linux__)
#define SKIP_IF_NO_MEMORY_IS_KEPT GTEST_SKIP() << "here nothing is kept"
#else
#define SKIP_IF_NO_MEMORY_IS_KEPT
#endif

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(TensorAllocator, ReusesReleasedMemory) {
  SKIP_IF_NO_MEMORY_IS_KEPT;
  for (const std::size_t bytes : {std::size_t{100} << 10, std::size_t{300'000}, 9 * kMiB}) {
    void* first = allocate_block(bytes);
    const std::size_t before = free_cached_bytes();
    release_block(first, bytes);
    const std::size_t size = free_cached_bytes() - before;
    EXPECT_GE(size, bytes);
    EXPECT_LT(size, bytes + (std::size_t{64} << 10));
    void* second = allocate_block(bytes - 1);
    EXPECT_EQ(free_cached_bytes(), before);
    release_block(second, bytes - 1);
  }
}

// Adjacent released blocks must be merged, so that they serve a request that is larger than each.
TEST(TensorAllocator, MergesAdjacentFreeBlocks) {
  SKIP_IF_NO_MEMORY_IS_KEPT;
  void* whole = allocate_block(400 * kMiB);  // never written, so it uses no memory
  release_block(whole, 400 * kMiB);
  void* parts[4];
  for (void*& part : parts) part = allocate_block(100 * kMiB);
  for (const std::size_t i : {2u, 0u, 3u, 1u}) release_block(parts[i], 100 * kMiB);
  const std::size_t before = free_cached_bytes();
  whole = allocate_block(400 * kMiB);
  EXPECT_EQ(free_cached_bytes(), before - 400 * kMiB);
  release_block(whole, 400 * kMiB);
  EXPECT_EQ(free_cached_bytes(), before);
}

TEST(TensorAllocator, BlocksInUseDoNotOverlap) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4096}, std::size_t{100'000}, std::size_t{3} << 20}) {
    void* a = allocate_block(bytes);
    void* b = allocate_block(bytes);
    EXPECT_NE(a, b);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0u);
    std::memset(a, 1, bytes);
    std::memset(b, 2, bytes);
    EXPECT_EQ(static_cast<const char*>(a)[bytes - 1], 1);
    release_block(a, bytes);
    release_block(b, bytes);
  }
}

// The test never writes to the blocks, so they use address space but no memory.
TEST(TensorAllocator, KeepsNoMoreMemoryThanWasInUseAtOnce) {
  SKIP_IF_NO_MEMORY_IS_KEPT;
  void* blocks[4];
  for (void*& block : blocks) block = allocate_block(400 * kMiB);
  for (void* block : blocks) release_block(block, 400 * kMiB);
  const std::size_t all = free_cached_bytes();
  EXPECT_GE(all, 1600 * kMiB);
  // Only a part of the kept memory can be reused, and the rest must be returned to the system.
  void* larger = allocate_block(all + 200 * kMiB);
  EXPECT_LE(free_cached_bytes(), 2 * kMiB);
  release_block(larger, all + 200 * kMiB);
  EXPECT_GE(free_cached_bytes(), all + 200 * kMiB);
  EXPECT_LE(free_cached_bytes(), all + 202 * kMiB);
}

TEST(TensorAllocator, ThrowsBadAllocIfTheSizeOverflows) {
  EXPECT_THROW(Allocator<double>().allocate(std::numeric_limits<std::size_t>::max() / 4),
               std::bad_alloc);
  EXPECT_THROW(allocate_block(std::numeric_limits<std::size_t>::max() - 5), std::bad_alloc);
}

TEST(TensorAllocator, ServesTensorsOfEveryElementType) {
  const Tensor<double> large = full_tensor<double>({300, 400}, 2.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % 64, 0u);
  const Tensor<double> copy = large;
  EXPECT_NE(copy.data(), large.data());
  EXPECT_EQ(copy.data()[119'999], 2.0);
  const Tensor<bool> mask = full_tensor<bool>({70'000}, true);
  EXPECT_TRUE(mask.data()[69'999]);
}

}  // namespace
}  // namespace normproof::ref::tensor
