#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

/// Multiplies with the double-precision tensor cores of a GPU, using a single warp.
///
/// Computes  a b in chains of 256 terms from +0; the results of the chains are added from left to
///           right. If one instruction is a chain of fma, this is the order of
///           docs/specification/determinism.md, R1; `normproof probe-order` tests whether an
///           instruction is a chain of fma. A product with 8 rows uses mma.m8n8k4 with 4 terms per
///           instruction; probe-order calls it device-dmma. A product with 16 rows uses mma.m16n8k8
///           with 8 terms per instruction; probe-order calls it device-dmma-wide.
///           ordered_products() runs its own test of the instruction
/// Shapes    a [8,K] or [16,K], b [K,8], K >= 1
/// Throws    NoDeviceError on the simulated device; DeviceError for 16 rows if the compute
///           capability is below 9.0; ContractError for other shapes
device::DeviceTensor<double> dmma_product(const device::DeviceTensor<double>& a,
                                          const device::DeviceTensor<double>& b);

#if defined(NORMPROOF_CUDA)
/// Launches the product of dmma_product on one warp.
/// Shapes    a [rows,K] with rows 8 or 16, b [K,8], y [rows,8]; K is `terms`
void cuda_dmma(device::Device& device, std::size_t rows, device::ConstReals a, device::ConstReals b,
               std::size_t terms, device::Reals y);
#endif

}  // namespace normproof::gpu::ops
