#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <unordered_map>

namespace normproof::gpu::device {

/// Reuses released memory for later requests of the same size. The work of a device runs in one
/// queue, so memory can be reused immediately: work that is submitted later also runs later.
class MemoryCache {
 public:
  /// The underlying allocator. `allocate` returns nullptr if no memory is left.
  struct Source {
    std::function<void*(std::size_t bytes)> allocate;
    std::function<void(void* memory)> free;
  };

  /// If `keeps` is false, nothing is cached: sizes are not rounded up, and released memory returns
  /// to the source as soon as possible. Memory checkers need this.
  explicit MemoryCache(Source source, bool keeps = true)
      : source_(std::move(source)), keeps_(keeps) {}
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { free_kept_blocks(); }

  /// Rounds the size of a request up. Sizes below 1 MiB become multiples of 512 bytes, and larger
  /// sizes become multiples of 2 MiB. So a request can reuse memory that was released by a request
  /// of a similar size.
  static std::size_t round_up_size(std::size_t bytes);

  /// Returns memory of at least `bytes` bytes. If the source has none left, returns all cached
  /// memory to the source and tries again. Returns nullptr if that fails too.
  void* acquire(std::size_t bytes);
  void return_to_cache(void* memory) noexcept;
  /// Returns the size in bytes of a memory block that is in use.
  std::size_t size_of(void* memory) const { return in_use_.at(memory); }

  /// Keeps released memory in the cache until end_memory_hold(). The memory may be reused, but it
  /// does not return to the source, because unfinished work may still use it.
  void begin_memory_hold();
  void end_memory_hold() noexcept;
  /// Returns all cached memory to the source.
  void free_kept_blocks() noexcept;

 private:
  struct KeptBlock {
    void* memory;
    bool held;
  };

  Source source_;
  std::unordered_map<void*, std::size_t> in_use_;
  std::multimap<std::size_t, KeptBlock> kept_;
  bool keeps_;
  bool holds_ = false;
};

}  // namespace normproof::gpu::device
