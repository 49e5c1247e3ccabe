#include "gpu/device/device_choice.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#if defined(NORMPROOF_CUDA)
#include "gpu/device/cuda_device.cuh"
#endif

namespace normproof::gpu::device {
namespace {

std::size_t simulated_device_count() {
  constexpr const char* kVariable = "NORMPROOF_SIMULATED_DEVICES";
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return 1;
  const std::string_view given = text;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(given.begin(), given.end(), count);
  if (error != std::errc() || end != given.end() || count == 0)
    throw ref::numeric::UsageError(
        fmt::format("{} is '{}'; expected a number of devices from 1 on", kVariable, given));
  return count;
}

#if !defined(NORMPROOF_CUDA)
// Without CUDA, cuda_device throws NoDeviceError.
std::unique_ptr<Device> cuda_device_at(std::size_t) {
  return cuda_device();
}
std::size_t cuda_device_count() {
  cuda_device();
  return 1;
}
#endif

}  // namespace

std::size_t device_count(Backend backend) {
  return backend == Backend::cuda ? cuda_device_count() : simulated_device_count();
}

std::size_t device_of_rank(std::size_t rank, std::size_t devices) {
  if (devices == 0)
    ref::numeric::contract_failure("device_of_rank", "devices", "is 0", "at least 1",
                                   ref::numeric::Clause::C1);
  return rank % devices;
}

std::unique_ptr<Device> open_device_of_rank(Backend backend, std::size_t rank, std::uint64_t seed) {
  const std::size_t index = device_of_rank(rank, device_count(backend));
  return backend == Backend::cuda ? cuda_device_at(index) : simulated_device(seed);
}

}  // namespace normproof::gpu::device
