#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

/// Computes  a b by the tensor cores of a GPU in double, in chains of 256 terms from +0 whose
///           results are added from left to right: the order of docs/specification/determinism.md, R1, if an
///           instruction is a chain of fma, which `normproof probe-order` finds out, one warp
///           alone. 8 rows by mma.m8n8k4, 4 terms an instruction (device-dmma); 16 rows by
///           mma.m16n8k8, 8 terms (device-dmma-wide). Ordered products ask for themselves
///           (ordered_products.cpp)
/// Shapes    a [8,K] or [16,K], b [K,8], K >= 1
/// Throws    NoDeviceError on the simulated device; DeviceError for 16 rows before compute
///           capability 9.0; ContractError for other shapes
device::DeviceTensor<double> dmma_product(const device::DeviceTensor<double>& a,
                                          const device::DeviceTensor<double>& b);

#if defined(NORMPROOF_CUDA)
/// The launch: one warp; a [rows,K], rows 8 or 16, y [rows,8].
void cuda_dmma(device::Device& device, std::size_t rows, device::ConstReals a, device::ConstReals b,
               std::size_t terms, device::Reals y);
#endif

}  // namespace normproof::gpu::ops
