#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device/device.hpp"

namespace normproof::gpu::device {

/// Returns the number of devices of this kind on the machine, at least 1. The number of simulated
/// devices is the value of the environment variable NORMPROOF_SIMULATED_DEVICES, or 1 if the
/// variable is not set.
/// Throws    NoDeviceError and DeviceError as cuda_device; UsageError if the variable is not a
///           positive integer
std::size_t device_count(Backend backend);

/// Returns the index of the device that a process uses. `rank` numbers the processes on one machine
/// from 0.
/// Computes  rank mod devices
/// Requires  (C1) 1 <= devices
std::size_t device_of_rank(std::size_t rank, std::size_t devices);

/// Opens the device that device_of_rank chooses. For rank 0, or if there is only one device, this
/// is the device that open_device opens.
/// Throws    as device_count
std::unique_ptr<Device> open_device_of_rank(Backend backend, std::size_t rank,
                                            std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
