#include "gpu/device/memory_cache.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace normproof::gpu::device {
namespace {

/// Simulates an allocator. Its addresses are running numbers, not real memory. No more than
/// `available` blocks can be allocated at a time.
class FakeMemory {
 public:
  explicit FakeMemory(int available) : available_(available) {}
  MemoryCache::Source source() {
    return {[this](std::size_t bytes) { return allocate(bytes); },
            [this](void* memory) {
              freed.push_back(memory);
              ++available_;
            }};
  }
  std::vector<std::size_t> requested_sizes;  ///< in bytes, one per call
  std::vector<void*> freed;

 private:
  void* allocate(std::size_t bytes) {
    requested_sizes.push_back(bytes);
    if (available_ == 0) return nullptr;
    --available_;
    return reinterpret_cast<void*>(requested_sizes.size());  // NOLINT(performance-no-int-to-ptr)
  }
  int available_;
};

TEST(DeviceMemoryCache, ReusesMemoryForARequestOfTheSameSize) {
  FakeMemory fake_memory(10);
  MemoryCache cache(fake_memory.source());
  void* const a = cache.acquire(100);
  void* const b = cache.acquire(100);
  EXPECT_NE(a, b);
  EXPECT_EQ(cache.size_of(a), 512u);
  cache.return_to_cache(a);
  EXPECT_NE(cache.acquire(513), a);
  EXPECT_EQ(cache.acquire(512), a);
  EXPECT_EQ(fake_memory.requested_sizes, (std::vector<std::size_t>{512, 512, 1024}));
  EXPECT_TRUE(fake_memory.freed.empty());
}

TEST(DeviceMemoryCache, RoundsRequestedSizesUp) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  EXPECT_EQ(MemoryCache::round_up_size(1), 512u);
  EXPECT_EQ(MemoryCache::round_up_size(1024), 1024u);
  EXPECT_EQ(MemoryCache::round_up_size(kMebibyte), 2 * kMebibyte);
  EXPECT_EQ(MemoryCache::round_up_size(2 * kMebibyte + 1), 4 * kMebibyte);
}

TEST(DeviceMemoryCache, FreesCachedMemoryBeforeAnAllocationFails) {
  FakeMemory fake_memory(2);
  MemoryCache cache(fake_memory.source());
  void* const a = cache.acquire(100);
  void* const b = cache.acquire(100);
  EXPECT_EQ(cache.acquire(100), nullptr);
  cache.return_to_cache(a);
  EXPECT_NE(cache.acquire(5000), nullptr);
  EXPECT_EQ(fake_memory.freed, std::vector<void*>{a});
  cache.return_to_cache(b);
}

TEST(DeviceMemoryCache, KeepsMemoryThatIsReturnedDuringAHold) {
  FakeMemory fake_memory(2);
  MemoryCache cache(fake_memory.source());
  void* const before = cache.acquire(100);
  void* const during = cache.acquire(600);
  cache.return_to_cache(before);
  cache.begin_memory_hold();
  cache.return_to_cache(during);
  EXPECT_EQ(cache.acquire(1000), during);
  cache.return_to_cache(during);
  EXPECT_NE(cache.acquire(5000), nullptr);  // replaces `before`
  EXPECT_EQ(cache.acquire(5000), nullptr);
  EXPECT_EQ(fake_memory.freed, std::vector<void*>{before});
  cache.end_memory_hold();
  EXPECT_NE(cache.acquire(5000), nullptr);
  EXPECT_EQ(fake_memory.freed, (std::vector<void*>{before, during}));
}

TEST(DeviceMemoryCache, MayFreeMemoryThatAnEarlierHoldKept) {
  FakeMemory fake_memory(1);
  MemoryCache cache(fake_memory.source());
  void* const memory = cache.acquire(100);
  cache.begin_memory_hold();
  cache.return_to_cache(memory);
  cache.end_memory_hold();
  cache.begin_memory_hold();
  EXPECT_NE(cache.acquire(5000), nullptr);
  EXPECT_EQ(fake_memory.freed, std::vector<void*>{memory});
}

TEST(DeviceMemoryCache, AllocatesExactSizesAndFreesAtOnceIfCachingIsOff) {
  FakeMemory fake_memory(10);
  MemoryCache cache(fake_memory.source(), false);
  void* const a = cache.acquire(100);
  cache.return_to_cache(a);
  EXPECT_EQ(fake_memory.freed, std::vector<void*>{a});
  cache.begin_memory_hold();
  void* const b = cache.acquire(100);
  cache.return_to_cache(b);
  void* const c = cache.acquire(100);
  EXPECT_NE(c, b);
  EXPECT_EQ(fake_memory.freed, std::vector<void*>{a});
  cache.end_memory_hold();
  EXPECT_EQ(fake_memory.freed, (std::vector<void*>{a, b}));
  cache.return_to_cache(c);
  EXPECT_EQ(fake_memory.requested_sizes, (std::vector<std::size_t>{100, 100, 100}));
}

TEST(DeviceMemoryCache, DestructorFreesAllMemory) {
  FakeMemory fake_memory(3);
  {
    MemoryCache cache(fake_memory.source());
    void* const a = cache.acquire(100);
    void* const b = cache.acquire(100);
    cache.return_to_cache(a);
    cache.return_to_cache(b);
  }
  EXPECT_EQ(fake_memory.freed.size(), 2u);
}

}  // namespace
}  // namespace normproof::gpu::device
