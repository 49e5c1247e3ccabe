#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <unordered_map>

namespace normproof::gpu::device {

/// Keeps memory that is given back and reuses it for requests of the same size. If all work of the
/// device runs in one queue, memory can be reused immediately: work submitted later runs later.
class MemoryCache {
 public:
  /// The source of memory. `allocate` returns nullptr if there is none left.
  struct Source {
    std::function<void*(std::size_t bytes)> allocate;
    std::function<void(void* memory)> free;
  };

  /// If `keeps` is false, sizes are exact and memory returns to the source as soon as possible.
  /// Tools that watch memory need this.
  explicit MemoryCache(Source source, bool keeps = true)
      : source_(std::move(source)), keeps_(keeps) {}
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { free_kept(); }

  /// Rounds a request up to a multiple of 512 bytes, or of 2 MiB from 1 MiB on, so that requests of
  /// similar sizes can share memory.
  static std::size_t rounded(std::size_t bytes);

  /// Returns memory. If the source has none left, all kept memory is returned to the source and the
  /// request is repeated. Returns nullptr if that fails too.
  void* acquire(std::size_t bytes);
  void put_back(void* memory) noexcept;
  /// The number of bytes of a block that is in use.
  std::size_t size_of(void* memory) const { return in_use_.at(memory); }

  /// Between hold() and end_hold(), memory that is put back may be reused but does not return to
  /// the source, because unfinished work may still use it.
  void hold();
  void end_hold() noexcept;
  /// Returns all kept memory to the source.
  void free_kept() noexcept;

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
