#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

/// Computes  a b by the tensor cores of a GPU in double, 4 terms an instruction (mma.m8n8k4), in
///           chains of 256 terms from +0 whose results are added from left to right: the order of
///           docs/determinism.md, R1, if an instruction is a chain of fma: what
///           `normproof probe-order device-dmma` finds out, one warp alone. Ordered products ask
///           for themselves (ordered_products.cpp), and take mma.m16n8k8 where there is one, of
///           which this says nothing
/// Shapes    a [8,K], b [K,8], K >= 1
/// Throws    NoDeviceError on the simulated device; ContractError for other shapes
device::DeviceTensor<double> dmma_product(const device::DeviceTensor<double>& a,
                                          const device::DeviceTensor<double>& b);

#if defined(NORMPROOF_CUDA)
/// The launch: one warp; y [8,8].
void cuda_dmma(device::Device& device, device::ConstReals a, device::ConstReals b,
               std::size_t terms, device::Reals y);
#endif

}  // namespace normproof::gpu::ops
