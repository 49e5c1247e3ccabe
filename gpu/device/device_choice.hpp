#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device/device.hpp"

namespace normproof::gpu::device {

/// How many devices of a kind this machine has, at least 1. Simulated ones:
/// NORMPROOF_SIMULATED_DEVICES in the environment, else 1.
/// Throws    NoDeviceError and DeviceError as cuda_device; UsageError where the variable is no
///           number from 1 on
std::size_t device_count(Backend backend);

/// Which of the devices is that of process number `rank` of those on its machine.
/// Computes  rank mod devices
/// Requires  (C1) 1 <= devices
std::size_t device_of_rank(std::size_t rank, std::size_t devices);

/// Opens the device of that number: of rank 0, and where there is one device, that of open_device.
/// Throws    as device_count
std::unique_ptr<Device> open_device_of_rank(Backend backend, std::size_t rank,
                                            std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
