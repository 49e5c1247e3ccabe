#include "ref/tensor/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::tensor {
namespace {

TEST(Allocator, ALargeBlockGivenBackServesTheNextTensorOfItsSize) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "under AddressSanitizer nothing is kept";
#endif
  for (const std::size_t bytes :
       {std::size_t{100} << 10, std::size_t{300'000}, std::size_t{9} << 20}) {
    void* first = allocate_block(bytes);
    release_block(first, bytes);
    void* second = allocate_block(bytes - 1);
    EXPECT_EQ(second, first) << bytes;
    release_block(second, bytes - 1);
  }
}

TEST(Allocator, ABlockServesWhatFillsHalfOfItAndKeepsItsSize) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "under AddressSanitizer nothing is kept";
#endif
  constexpr std::size_t kLarge = std::size_t{40} << 20;
  void* first = allocate_block(kLarge);
  release_block(first, kLarge);
  void* half = allocate_block(kLarge / 2);
  EXPECT_EQ(half, first);
  const std::size_t before = kept_bytes();
  release_block(half, kLarge / 2);
  EXPECT_EQ(kept_bytes(), before + kLarge);
  void* less = allocate_block(kLarge / 2 - (std::size_t{4} << 20));
  EXPECT_NE(less, first);
  void* again = allocate_block(kLarge);
  EXPECT_EQ(again, first);
  release_block(less, kLarge / 2 - (std::size_t{4} << 20));
  release_block(again, kLarge);
}

TEST(Allocator, BlocksInUseAreApartAndWhole) {
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

// The blocks are never touched, so they cost no memory.
TEST(Allocator, WhatWasInUseAtOnceIsKeptAndNoMore) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "under AddressSanitizer nothing is kept";
#endif
  constexpr std::size_t kBytes = std::size_t{400} << 20;
  constexpr std::size_t kMost = 4 * kBytes;
  void* blocks[4];
  for (void*& block : blocks) block = allocate_block(kBytes);
  for (void* block : blocks) release_block(block, kBytes);
  EXPECT_GE(kept_bytes(), kMost);
  const std::size_t all = kept_bytes();
  // None of the kept fits one that is much larger; room is made for it.
  void* larger = allocate_block(3 * kBytes);
  EXPECT_LE(kept_bytes() + 3 * kBytes, all);
  void* again = allocate_block(kBytes);
  EXPECT_EQ(again, *std::find(blocks, blocks + 4, again));
  release_block(again, kBytes);
  release_block(larger, 3 * kBytes);
  EXPECT_LE(kept_bytes(), all);
  EXPECT_GE(kept_bytes(), 3 * kBytes);
}

TEST(Allocator, ASizeThatOverflowsIsBadAlloc) {
  EXPECT_THROW(Allocator<double>().allocate(std::numeric_limits<std::size_t>::max() / 4),
               std::bad_alloc);
  EXPECT_THROW(allocate_block(std::numeric_limits<std::size_t>::max() - 5), std::bad_alloc);
}

TEST(Allocator, TensorsOfEveryKindLiveInIt) {
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
