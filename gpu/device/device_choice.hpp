#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device/device.hpp"

namespace normproof::gpu::device {

/// Returns how many devices of this kind the machine has, at least 1. For simulated devices it is
/// the environment variable NORMPROOF_SIMULATED_DEVICES, or 1 if that is not set.
/// Throws    NoDeviceError and DeviceError as cuda_device; UsageError if the variable is not a
///           positive integer
std::size_t device_count(Backend backend);

/// Chooses the device of the process with this rank among the processes of its machine.
/// Computes  rank mod devices
/// Requires  (C1) 1 <= devices
std::size_t device_of_rank(std::size_t rank, std::size_t devices);

/// Opens the device of device_of_rank. For rank 0, or if there is only one device, it is that of
/// open_device.
/// Throws    as device_count
std::unique_ptr<Device> open_device_of_rank(Backend backend, std::size_t rank,
                                            std::uint64_t seed = 1);

}  // namespace normproof::gpu::device
