#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <unordered_map>

namespace normproof::gpu::device {

/// Memory that is given back is kept, and handed out again for the same size. On a device whose
/// work is one queue that is safe at once: what is given to the queue later runs later.
class MemoryCache {
 public:
  /// Where memory comes from. `allocate` is nullptr where there is none left.
  struct Source {
    std::function<void*(std::size_t bytes)> allocate;
    std::function<void(void* memory)> free;
  };

  /// Where it does not keep, sizes are exact and memory goes back to the source as soon as it may:
  /// for tools that watch memory.
  explicit MemoryCache(Source source, bool keeps = true)
      : source_(std::move(source)), keeps_(keeps) {}
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { free_kept(); }

  /// The bytes that a request takes up: a multiple of 512, from 1 MiB on of 2 MiB, so that sizes
  /// which differ a little share memory.
  static std::size_t rounded(std::size_t bytes);

  /// Where the source has none left, it gets back what is kept, and is asked once more; nullptr
  /// where that does not help.
  void* take(std::size_t bytes);
  void put_back(void* memory) noexcept;
  /// The bytes behind memory that is in use.
  std::size_t size_of(void* memory) const { return in_use_.at(memory); }

  /// Between hold() and let_go(), what is put back is handed out again, but does not return to the
  /// source: work that is not done yet may use it.
  void hold();
  void let_go() noexcept;
  /// Returns what is kept to the source.
  void free_kept() noexcept;

 private:
  struct Kept {
    void* memory;
    bool held;
  };

  Source source_;
  std::unordered_map<void*, std::size_t> in_use_;
  std::multimap<std::size_t, Kept> kept_;
  bool keeps_;
  bool holds_ = false;
};

}  // namespace normproof::gpu::device
