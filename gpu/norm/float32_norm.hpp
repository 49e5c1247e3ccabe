#pragma once

#include "gpu/norm/device_numbers.hpp"
#include "ref/model/float32_norm_options.hpp"

namespace normproof::gpu::norm {

struct Float32NormInputs {
  DeviceNumbers x;              ///< [N,D], in options.storage
  DeviceNumbers gamma = {};     ///< [D], in options.parameters, or {}: ones
  DeviceNumbers beta = {};      ///< [D], in options.parameters, or {}: zeros
  DeviceNumbers grad_y = {};    ///< as x, for the backward
  DeviceNumbers residual = {};  ///< as x: the norm is that of the sum; or {}
  DeviceNumbers grad_sum = {};  ///< as x: what grad_x adds; or {}
};

struct Float32NormForward {
  DeviceNumbers y;
  DeviceNumbers mean, rstd;  ///< [N], in options.arithmetic; mean {} where the layer is not centred
  DeviceNumbers sum = {};    ///< where there is a residual
};

struct Float32NormGradients {
  DeviceNumbers grad_x, grad_gamma, grad_beta;
};

/// ref/norm/float32_norm.hpp on a device, float32_add_norm where a residual is given: formulas,
/// requirements, sentences and bits. x is read once where a row of it fits in the shared memory of
/// a block, or of a cluster of blocks where the device has clusters (float32_row_kernels.hpp).
/// Throws    ContractError
Float32NormForward float32_norm(const ref::model::Float32NormOptions& options,
                                const Float32NormInputs& in);

/// Of forward.sum where it is given, else of in.x. x and grad_y are read once where a row fits as
/// x's does: who has a run of rows adds its part of the gradients of gamma and beta
/// (float32_run_kernels.hpp).
Float32NormGradients float32_norm_backward(const ref::model::Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward);

}  // namespace normproof::gpu::norm
