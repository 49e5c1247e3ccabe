#include "gpu/device/memory_cache.hpp"

namespace normproof::gpu::device {

std::size_t MemoryCache::round_up_size(std::size_t bytes) {
  constexpr std::size_t kMinLargeBlockBytes = std::size_t{1} << 20;
  const std::size_t unit = bytes < kMinLargeBlockBytes ? 512 : 2 * kMinLargeBlockBytes;
  return (bytes + unit - 1) / unit * unit;
}

void* MemoryCache::acquire(std::size_t bytes) {
  const std::size_t size = keeps_ ? round_up_size(bytes) : bytes;
  if (const auto kept = kept_.find(size); keeps_ && kept != kept_.end()) {
    void* const memory = kept->second.memory;
    in_use_.emplace(memory, size);
    kept_.erase(kept);
    return memory;
  }
  void* memory = source_.allocate(size);
  if (memory == nullptr && !kept_.empty()) {
    free_kept_blocks();
    memory = source_.allocate(size);
  }
  if (memory != nullptr) in_use_.emplace(memory, size);
  return memory;
}

void MemoryCache::return_to_cache(void* memory) noexcept {
  const auto used = in_use_.find(memory);
  kept_.emplace(used->second, KeptBlock{memory, holds_});
  in_use_.erase(used);
  if (!keeps_ && !holds_) free_kept_blocks();
}

void MemoryCache::begin_memory_hold() {
  holds_ = true;
  for (auto& [size, kept] : kept_) kept.held = false;
}

void MemoryCache::end_memory_hold() noexcept {
  holds_ = false;
  if (!keeps_) free_kept_blocks();
}

void MemoryCache::free_kept_blocks() noexcept {
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    if (holds_ && kept->second.held) {
      ++kept;
      continue;
    }
    source_.free(kept->second.memory);
    kept = kept_.erase(kept);
  }
}

}  // namespace normproof::gpu::device
