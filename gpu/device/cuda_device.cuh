#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "gpu/device/device.hpp"

/// The back end `cuda`; built where NORMPROOF_CUDA is set.
namespace normproof::gpu::device {

/// How many GPUs there are, at least 1.
/// Throws    NoDeviceError, DeviceError
std::size_t cuda_device_count();
/// The GPU of a number below that.
/// Throws    NoDeviceError, DeviceError
std::unique_ptr<Device> cuda_device_at(std::size_t index);

/// Requires  device is one of cuda_device()
cudaStream_t stream_of(Device& device);
cublasHandle_t cublas_of(Device& device);

/// Throws    DeviceError unless the status is that of success; NoDeviceError where it says that
///           there is no device or no driver
void check_status(cudaError_t status, const char* call, const char* file, int line);
void check_status(cublasStatus_t status, const char* call, const char* file, int line);

}  // namespace normproof::gpu::device

#define NORMPROOF_CUDA_CALL(call) \
  normproof::gpu::device::check_status(call, #call, __FILE__, __LINE__)
