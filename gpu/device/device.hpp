#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace normproof::gpu::device {

/// The kinds of devices.
/// simulated: kernels run on the processor, one thread after the other, in an order drawn from a
/// seed.
/// cuda: kernels run on a GPU.
enum class Backend { simulated, cuda };
std::string_view to_string(Backend backend);
/// Returns the back end of this name.
/// Throws    UsageError that suggests the nearest known name
Backend parse_backend(std::string_view name);

class Recording;

/// A device with its memory and a single queue of work. Operations run in the order of the queue,
/// so each operation reads what earlier operations wrote. Uploads and downloads wait for the work
/// that they depend on. Released memory is reused (memory_cache.hpp).
///
/// Work can also be recorded first and performed later, all at once (recording.hpp). A GPU performs
/// recorded work as a CUDA graph.
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
  /// Copies `bytes` bytes from device memory to host memory.
  /// Throws    DeviceError. It is also thrown while work is recorded, because the values do not
  ///           exist yet
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits until all submitted work has finished.
  /// Throws    DeviceError if any of that work failed
  virtual void synchronize() = 0;
  /// Returns the seed that determines the order of the simulated threads of the next launch. Each
  /// launch gets a different seed.
  virtual std::uint64_t next_order() = 0;
  /// Submits host work to the simulated device. The work runs in queue order, or is recorded if a
  /// recording is active.
  virtual void enqueue(std::function<void()> work) = 0;

  /// Whether the tensor cores multiply doubles as chains of fma. The value is empty until
  /// ops/ordered_products.cpp has tested the device. The simulated device sets it to true if its
  /// seed is odd.
  std::optional<bool> tensor_cores_are_exact;

  /// The maximum number of blocks in a cluster. It is 1 if the device has no clusters. On the
  /// simulated device it is 8 if the seed is odd, otherwise 1.
  int max_cluster_blocks = 1;

  /// Starts a recording: from now on work is recorded instead of performed, and uploaded data are
  /// copied. `name` identifies a part of a program. If a recording with the same name differs from
  /// the previous one only in sizes and numbers, a GPU updates the stored graph instead of building
  /// a new one.
  /// Requires  no recording is active
  virtual void begin_recording(const std::string& name) = 0;
  /// Ends the recording and submits the recorded work to the queue.
  virtual void perform_recording() = 0;
  virtual void forget_recording() noexcept = 0;
  /// Returns the active recording, or nullptr if there is none.
  const Recording* recording() const { return recording_; }

 private:
  friend class Recording;
  const Recording* recording_ = nullptr;
};

/// Returns a simulated device, which runs threads and blocks in an order drawn from the seed. If a
/// result depends on the order, it differs between two seeds. Seed 0 gives the ascending order.
std::unique_ptr<Device> simulated_device(std::uint64_t seed = 1);

/// Opens the first GPU.
/// Throws    NoDeviceError if there is no GPU, no driver or no CUDA in this build; DeviceError if
///           the driver is older than the toolkit
std::unique_ptr<Device> cuda_device();

std::unique_ptr<Device> open_device(Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
