#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace normproof::gpu::device {

/// simulated: kernels run on the processor, thread by thread, in an order drawn from a seed.
/// cuda: on a GPU.
enum class Backend { simulated, cuda };
std::string_view to_string(Backend backend);
/// Throws    UsageError with the nearest known name
Backend backend_of(std::string_view name);

class Recording;

/// A device with its memory and the queue of its work: one stream, so that each operation sees what
/// those before it wrote. Uploads and downloads wait for what they need. Memory that is released is
/// handed out again (memory_cache.hpp).
///
/// Work can be recorded first and done at once later (recording.hpp): on a GPU as a graph.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual Backend backend() const = 0;
  /// Memory whose bytes are not set; the simulated device fills it with NaN.
  /// Throws    DeviceError; std::bad_alloc on the simulated device
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// Throws    DeviceError, too, while work is recorded: what would be read is not there yet
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits for all work given so far.
  /// Throws    DeviceError where some of it failed
  virtual void synchronize() = 0;
  /// What the order of the simulated threads is drawn from: another number for each launch.
  virtual std::uint64_t next_order() = 0;
  /// Gives the simulated device work of the processor, done or recorded in the order of the queue.
  virtual void enqueue(std::function<void()> work) = 0;

  /// Whether its tensor cores multiply doubles as chains of fma; nothing where that has not been
  /// asked (ops/ordered_products.cpp). Of the simulated device: where its seed is odd.
  std::optional<bool> tensor_cores_are_exact;

  /// Blocks that a cluster may have; 1 where the device has no clusters. Of the simulated device: 8
  /// where its seed is odd, else 1.
  int most_blocks_of_a_cluster = 1;

  /// From here on work is recorded, and what is uploaded is copied. The name is that of a part of
  /// a program: a GPU changes the graph that it has under the name, where the new one differs in
  /// sizes and numbers alone.
  /// Requires  nothing is being recorded
  virtual void begin_recording(const std::string& name) = 0;
  /// Gives what was recorded to the queue.
  virtual void perform_recording() = 0;
  virtual void forget_recording() noexcept = 0;
  /// The one that lives, or nullptr.
  const Recording* recording() const { return recording_; }

 private:
  friend class Recording;
  const Recording* recording_ = nullptr;
};

/// Threads and blocks in an order drawn from the seed: a result that depends on it shows between
/// two seeds. 0 is the ascending order.
std::unique_ptr<Device> simulated_device(std::uint64_t seed = 1);

/// The first GPU.
/// Throws    NoDeviceError where there is none, no driver or a build without CUDA; DeviceError
///           where the driver is older than the toolkit
std::unique_ptr<Device> cuda_device();

std::unique_ptr<Device> open_device(Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
