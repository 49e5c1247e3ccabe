#include "ref/tensor/allocator.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace normproof::ref::tensor {
namespace {

constexpr std::size_t kSmallest = std::size_t{64} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
constexpr std::size_t kAlwaysAllowed = std::size_t{1} << 30;

std::size_t alignment_of(std::size_t bytes) {
  return bytes < kHugePage ? 64 : kHugePage;
}

// Sizes are multiples of 64 KiB, or of a huge page from there on.
std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = bytes < kHugePage ? kSmallest : kHugePage;
  if (bytes > static_cast<std::size_t>(-1) - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

void to_system(void* block, std::size_t size) noexcept {
  ::operator delete (block, std::align_val_t{alignment_of(size)});
}

struct Kept {
  std::mutex mutex;
  std::multimap<std::size_t, void*> blocks;       ///< by their size
  std::unordered_map<void*, std::size_t> larger;  ///< in use for less than their size
  std::size_t bytes = 0;
  std::size_t in_use = 0, most_in_use = 0;

  void use(std::size_t size) {
    in_use += size;
    most_in_use = std::max(most_in_use, in_use);
  }

  /// The smallest that is large enough and not more than twice as large; null where there is none.
  void* take(std::size_t size) {
    const auto found = blocks.lower_bound(size);
    if (found == blocks.end() || found->first / 2 > size) return nullptr;
    void* const block = found->second;
    if (found->first != size) larger.emplace(block, found->first);
    use(found->first);
    bytes -= found->first;
    blocks.erase(found);
    return block;
  }

  /// The size of a block that is given back as one of `size`.
  std::size_t size_of(void* block, std::size_t size) {
    const auto found = larger.find(block);
    if (found == larger.end()) return size;
    const std::size_t own = found->second;
    larger.erase(found);
    return own;
  }

  /// Gives the largest back to the system until there is room for `size` more.
  void make_room(std::size_t size) {
    const std::size_t allowed = std::max({kAlwaysAllowed, most_in_use, in_use + size});
    while (!blocks.empty() && in_use + size + bytes > allowed) {
      const auto largest = std::prev(blocks.end());
      to_system(largest->second, largest->first);
      bytes -= largest->first;
      blocks.erase(largest);
    }
  }
};

// Never destroyed: tensors of static storage duration give their blocks back after main.
Kept& kept() {
  static Kept& k = *new Kept;
  return k;
}

}  // namespace

void* allocate_block(std::size_t bytes) {
  if (bytes < kSmallest) return ::operator new (bytes, std::align_val_t{64});
  const std::size_t size = rounded(bytes);
  {
    Kept& k = kept();
    const std::lock_guard lock(k.mutex);
    if (void* const block = k.take(size)) return block;
    k.make_room(size);
  }
  void* const block = ::operator new (size, std::align_val_t{alignment_of(size)});
#if defined(__linux__)
  if (size >= kHugePage) madvise(block, size, MADV_HUGEPAGE);
#endif
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  k.use(size);
  return block;
}

void release_block(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (bytes < kSmallest) {
    ::operator delete (block, std::align_val_t{64});
    return;
  }
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  const std::size_t size = k.size_of(block, rounded(bytes));
  k.in_use -= size;
  try {
    if (kKeeps) {
      k.blocks.emplace(size, block);
      k.bytes += size;
      return;
    }
  } catch (const std::bad_alloc&) {  // no memory for the list: the block goes back to the system
  }
  to_system(block, size);
}

std::size_t kept_bytes() {
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  return k.bytes;
}

}  // namespace normproof::ref::tensor
