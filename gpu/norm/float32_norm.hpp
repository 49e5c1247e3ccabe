#pragma once

#include "gpu/norm/device_numbers.hpp"
#include "ref/model/float32_norm_options.hpp"

namespace normproof::gpu::norm {

struct Float32NormInputs {
  DeviceNumbers x;              ///< [N,D], in the format options.storage
  DeviceNumbers gamma = {};     ///< [D], in the format options.parameters, or {} for ones
  DeviceNumbers beta = {};      ///< [D], in the format options.parameters, or {} for zeros
  DeviceNumbers grad_y = {};    ///< like x; for the backward
  DeviceNumbers residual = {};  ///< like x, or {}; added to x before the norm
  DeviceNumbers grad_sum = {};  ///< like x, or {}; added to grad_x
};

struct Float32NormForward {
  DeviceNumbers y;
  /// The statistics of each row, [N], in the type options.arithmetic. If the layer does not center,
  /// mean is {}.
  DeviceNumbers mean, rstd;
  DeviceNumbers sum = {};  ///< x + residual; {} if there is no residual
};

struct Float32NormGradients {
  DeviceNumbers grad_x, grad_gamma, grad_beta;
};

/// Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/float32_norm.hpp. If a residual is given, it is the device version of float32_add_norm.
/// x is read only once if a row fits in the shared memory of a block, or of a cluster of blocks if
/// the device has clusters (float32_row_kernels.hpp).
/// Throws    ContractError
Float32NormForward float32_norm(const ref::model::Float32NormOptions& options,
                                const Float32NormInputs& in);

/// The backward of float32_norm. If the forward had a residual, the backward uses forward.sum in
/// place of in.x. x and grad_y are read only once if a row of x and a row of grad_y together fit in
/// the shared memory of a block or a cluster. A block processes a run of rows; it also sums the
/// run's terms of the gradients of gamma and beta (float32_run_kernels.hpp).
Float32NormGradients float32_norm_backward(const ref::model::Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward);

}  // namespace normproof::gpu::norm
