#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "gpu/device/device.hpp"

/// The `cuda` back end. It is compiled only if the build option NORMPROOF_CUDA is set.
namespace normproof::gpu::device {

/// Returns the number of GPUs, at least 1.
/// Throws    NoDeviceError, DeviceError
std::size_t cuda_device_count();
/// Opens the GPU with the given index. The index must be less than cuda_device_count().
/// Throws    NoDeviceError, DeviceError
std::unique_ptr<Device> cuda_device_at(std::size_t index);

/// Return the stream and the cuBLAS handle of a CUDA device.
/// Requires  `device` was opened by cuda_device() or cuda_device_at()
cudaStream_t cuda_stream(Device& device);
cublasHandle_t cublas_handle(Device& device);

/// Checks the status that a CUDA or cuBLAS call returned.
/// Throws    NoDeviceError if the status says that there is no device or no driver; DeviceError for
///           any other failure
void check_status(cudaError_t status, const char* call, const char* file, int line);
void check_status(cublasStatus_t status, const char* call, const char* file, int line);

}  // namespace normproof::gpu::device

#define NORMPROOF_CUDA_CALL(call) \
  normproof::gpu::device::check_status(call, #call, __FILE__, __LINE__)
