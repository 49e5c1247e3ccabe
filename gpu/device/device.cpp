#include "gpu/device/device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "gpu/device/errors.hpp"
#include "gpu/device/memory_cache.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/fp_environment.hpp"

namespace normproof::gpu::device {
namespace {

class SimulatedDevice final : public Device {
 public:
  explicit SimulatedDevice(std::uint64_t seed) : seed_(seed) {
    ref::numeric::check_fp_mode();
    tensor_cores_are_exact = seed % 2 == 1;
    max_cluster_blocks = seed % 2 == 1 ? 8 : 1;
  }

  Backend backend() const override { return Backend::simulated; }
  void* allocate(std::size_t bytes) override { return memory_.acquire(bytes); }
  void release(void* memory) noexcept override {
    enqueue([memory, size = memory_.size_of(memory)] { fill_with_nan(memory, size); });
    memory_.return_to_cache(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    const auto* const first = static_cast<const std::byte*>(from);
    if (!records_) {
      std::copy_n(first, bytes, static_cast<std::byte*>(to));
      return;
    }
    enqueue([to, copy = std::vector<std::byte>(first, first + bytes)] {
      std::copy(copy.begin(), copy.end(), static_cast<std::byte*>(to));
    });
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    if (records_) throw_download_error(recorded_name_);
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}
  std::uint64_t next_order() override { return seed_ == 0 ? 0 : seed_++; }
  void enqueue(std::function<void()> work) override {
    if (records_)
      recorded_.push_back(std::move(work));
    else
      work();
  }

  void begin_recording(const std::string& name) override {
    memory_.begin_memory_hold();
    recorded_name_ = name;
    records_ = true;
  }
  void perform_recording() override {
    records_ = false;
    memory_.end_memory_hold();
    const auto recorded = std::exchange(recorded_, {});
    for (const auto& work : recorded) work();
  }
  void forget_recording() noexcept override {
    records_ = false;
    memory_.end_memory_hold();
    recorded_.clear();
  }

 private:
  /// Fills new memory with 0xff bytes, which are NaN as doubles.
  static void fill_with_nan(void* memory, std::size_t bytes) { std::memset(memory, 0xff, bytes); }

  std::uint64_t seed_;
  MemoryCache memory_{{[](std::size_t bytes) {
                         void* const memory = ::operator new(bytes);
                         fill_with_nan(memory, bytes);
                         return memory;
                       },
                       [](void* memory) { ::operator delete(memory); }}};
  std::vector<std::function<void()>> recorded_;
  std::string recorded_name_;
  bool records_ = false;
};

}  // namespace

std::string_view to_string(Backend backend) {
  return backend == Backend::simulated ? "simulated" : "cuda";
}

Backend parse_backend(std::string_view name) {
  for (const Backend backend : {Backend::simulated, Backend::cuda})
    if (name == to_string(backend)) return backend;
  throw ref::numeric::UsageError(ref::numeric::unknown_name("device", name, {"simulated", "cuda"}));
}

std::unique_ptr<Device> simulated_device(std::uint64_t seed) {
  return std::make_unique<SimulatedDevice>(seed);
}

#if !defined(NORMPROOF_CUDA)
std::unique_ptr<Device> cuda_device() {
  throw NoDeviceError("no device: this build has no CUDA; configure with -DNORMPROOF_CUDA=ON");
}
#endif

std::unique_ptr<Device> open_device(Backend backend, std::uint64_t seed) {
  return backend == Backend::cuda ? cuda_device() : simulated_device(seed);
}

}  // namespace normproof::gpu::device
