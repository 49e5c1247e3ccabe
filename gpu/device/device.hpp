#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace normproof::gpu::device {

/// simulated: kernels run on the processor, one thread after the other, in an order drawn from a
/// seed.
/// cuda: kernels run on a GPU.
enum class Backend { simulated, cuda };
std::string_view to_string(Backend backend);
/// Throws    UsageError that suggests the nearest known name
Backend parse_backend(std::string_view name);

class Recording;

/// A device with its memory and one stream of work, so that each operation sees what earlier ones
/// wrote. Uploads and downloads wait for the work they depend on. Released memory is reused
/// (memory_cache.hpp).
///
/// Work can be recorded first and performed at once later (recording.hpp). A GPU performs it as a
/// graph.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual Backend backend() const = 0;
  /// Returns uninitialized memory. The simulated device fills it with NaN.
  /// Throws    DeviceError; std::bad_alloc on the simulated device
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// Throws    DeviceError, also while work is recorded, because the values do not exist yet
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits until all work submitted so far has finished.
  /// Throws    DeviceError if any of that work failed
  virtual void synchronize() = 0;
  /// The seed of the order of simulated threads. Each launch gets a different one.
  virtual std::uint64_t next_order() = 0;
  /// Submits host work to the simulated device, to be run or recorded in queue order.
  virtual void enqueue(std::function<void()> work) = 0;

  /// Whether the tensor cores multiply doubles as chains of fma; empty if this has not been tested
  /// (ops/ordered_products.cpp). On the simulated device it is true if the seed is odd.
  std::optional<bool> tensor_cores_are_exact;

  /// The maximum number of blocks in a cluster; 1 if the device has no clusters. On the simulated
  /// device it is 8 if the seed is odd, else 1.
  int max_cluster_blocks = 1;

  /// Records all work from here on, and copies all data that is uploaded. The name identifies a
  /// part of a program: a GPU updates the graph stored under that name if the new one differs only
  /// in sizes and numbers.
  /// Requires  (C1) nothing is being recorded
  virtual void begin_recording(const std::string& name) = 0;
  /// Submits the recorded work to the queue.
  virtual void perform_recording() = 0;
  virtual void forget_recording() noexcept = 0;
  /// The active recording, or nullptr.
  const Recording* recording() const { return recording_; }

 private:
  friend class Recording;
  const Recording* recording_ = nullptr;
};

/// Runs threads and blocks in an order drawn from the seed, so that a result that depends on the
/// order differs between two seeds. Seed 0 is the ascending order.
std::unique_ptr<Device> simulated_device(std::uint64_t seed = 1);

/// Opens the first GPU.
/// Throws    NoDeviceError if there is no GPU, no driver or no CUDA in this build; DeviceError if
///           the driver is older than the toolkit
std::unique_ptr<Device> cuda_device();

std::unique_ptr<Device> open_device(Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
