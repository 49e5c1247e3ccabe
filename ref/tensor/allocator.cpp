#include "ref/tensor/allocator.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define NORMPROOF_KEEPS_MEMORY 1
#endif

namespace normproof::ref::tensor {
namespace {

constexpr std::size_t kBlockUnit = std::size_t{64}
                                   << 10;  // the size of a block is a multiple of this

#if defined(NORMPROOF_KEEPS_MEMORY)

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMinKeepLimitBytes = std::size_t{1} << 30;

std::size_t round_up_to(std::size_t bytes, std::size_t unit) {
  if (bytes > static_cast<std::size_t>(-1) - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

/// Maps memory from the system, on huge pages if they are available. Returns null if the system has
/// no memory.
char* map(std::size_t size) {
  if (size > static_cast<std::size_t>(-1) - kHugePage) return nullptr;
  // This maps one huge page more than needed, so that the block can start on a huge-page boundary.
  void* const given =
      mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (given == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(given);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::size_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, kHugePage - before);
  madvise(begin + before, size, MADV_HUGEPAGE);
  return begin + before;
}

/// The ranges of released memory that are kept for later tensors. Adjacent ranges are merged.
class FreeRanges {
 public:
  char* allocate(std::size_t size) {
    char* block = extract_range(size);
    if (block == nullptr) {
      const std::size_t region = round_up_to(size, kHugePage);
      release_ranges_until_fits(region,
                                std::max({kMinKeepLimitBytes, max_in_use_, in_use_ + region}));
      char* fresh = map(region);
      if (fresh == nullptr) {
        release_ranges_until_fits(region, 0);
        fresh = map(region);
      }
      if (fresh == nullptr) throw std::bad_alloc();
      add(fresh, region);
      block = extract_range(size);
    }
    in_use_ += size;
    max_in_use_ = std::max(max_in_use_, in_use_);
    return block;
  }

  void release(char* block, std::size_t size) {
    in_use_ -= size;
    add(block, size);
  }

  std::size_t bytes() const { return bytes_; }

 private:
  /// Removes `size` bytes from the smallest range that is large enough, and returns their address.
  /// If no range is large enough, it returns null.
  char* extract_range(std::size_t size) {
    const auto found = by_size_.lower_bound({size, nullptr});
    if (found == by_size_.end()) return nullptr;
    const auto [whole, begin] = *found;
    remove(begin, whole);
    if (whole > size) insert(begin + size, whole - size);
    return begin;
  }

  void add(char* begin, std::size_t size) {
    auto after = by_address_.lower_bound(begin);
    if (after != by_address_.end() && begin + size == after->first) {
      const auto [other, more] = *after;
      remove(other, more);
      size += more;
      after = by_address_.lower_bound(begin);
    }
    if (after != by_address_.begin()) {
      const auto [other, more] = *std::prev(after);
      if (other + more == begin) {
        remove(other, more);
        begin = other;
        size += more;
      }
    }
    insert(begin, size);
  }

  /// Returns the largest ranges to the system until the memory in use, the memory kept and `size`
  /// more bytes together are at most `allowed`.
  void release_ranges_until_fits(std::size_t size, std::size_t allowed) {
    while (!by_size_.empty() && in_use_ + size + bytes_ > allowed) {
      const auto [most, begin] = *by_size_.rbegin();
      remove(begin, most);
      munmap(begin, most);
    }
  }

  void insert(char* begin, std::size_t size) {
    by_address_.emplace(begin, size);
    by_size_.emplace(size, begin);
    bytes_ += size;
  }
  void remove(char* begin, std::size_t size) {
    by_address_.erase(begin);
    by_size_.erase({size, begin});
    bytes_ -= size;
  }

  std::map<char*, std::size_t> by_address_;
  std::set<std::pair<std::size_t, char*>> by_size_;
  std::size_t bytes_ = 0, in_use_ = 0, max_in_use_ = 0;
};

std::mutex& mutex() {
  static std::mutex& m = *new std::mutex;
  return m;
}
// The object is never destroyed, because tensors of static storage duration release their blocks
// after main.
FreeRanges& kept_ranges() {
  static FreeRanges& k = *new FreeRanges;
  return k;
}

#endif

}  // namespace

#if defined(NORMPROOF_KEEPS_MEMORY)

void* allocate_block(std::size_t bytes) {
  if (bytes < kBlockUnit) return ::operator new (bytes, std::align_val_t{64});
  const std::size_t size = round_up_to(bytes, kBlockUnit);
  const std::lock_guard lock(mutex());
  return kept_ranges().allocate(size);
}

void release_block(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (bytes < kBlockUnit) {
    ::operator delete (block, std::align_val_t{64});
    return;
  }
  const std::lock_guard lock(mutex());
  try {
    kept_ranges().release(static_cast<char*>(block), round_up_to(bytes, kBlockUnit));
  } catch (const std::bad_alloc&) {  // the lists cannot grow, so the block is leaked
  }
}

std::size_t free_cached_bytes() {
  const std::lock_guard lock(mutex());
  return kept_ranges().bytes();
}

#else

void* allocate_block(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{64});
}

void release_block(void* block, std::size_t) noexcept {
  ::operator delete (block, std::align_val_t{64});
}

std::size_t free_cached_bytes() {
  return 0;
}

#endif

}  // namespace normproof::ref::tensor
