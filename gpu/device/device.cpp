#include "gpu/device/device.hpp"

#include <cstring>
#include <new>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/fp_environment.hpp"

namespace normproof::gpu::device {
namespace {

class SimulatedDevice final : public Device {
 public:
  explicit SimulatedDevice(std::uint64_t seed) : seed_(seed) { ref::numeric::check_fp_mode(); }

  Backend backend() const override { return Backend::simulated; }
  void* allocate(std::size_t bytes) override {
    void* const memory = ::operator new(bytes);
    std::memset(memory, 0xff, bytes);  // as doubles: NaN
    return memory;
  }
  void release(void* memory) noexcept override { ::operator delete(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}
  std::uint64_t next_order() override { return seed_ == 0 ? 0 : seed_++; }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::string_view to_string(Backend backend) {
  return backend == Backend::simulated ? "simulated" : "cuda";
}

Backend backend_of(std::string_view name) {
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
