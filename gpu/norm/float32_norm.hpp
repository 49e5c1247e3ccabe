#pragma once

#include "gpu/norm/device_numbers.hpp"
#include "ref/model/float32_norm_options.hpp"

namespace normproof::gpu::norm {

struct Float32NormInputs {
  DeviceNumbers x;            ///< [N,D], in options.storage
  DeviceNumbers gamma = {};   ///< [D], in options.parameters, or {}: ones
  DeviceNumbers beta = {};    ///< [D], in options.parameters, or {}: zeros
  DeviceNumbers grad_y = {};  ///< as x, for the backward
};

struct Float32NormForward {
  DeviceNumbers y;
  DeviceTensor<float> mean, rstd;  ///< [N]; mean {} where the layer is not centred
};

struct Float32NormGradients {
  DeviceNumbers grad_x, grad_gamma, grad_beta;
};

/// ref/norm/float32_norm.hpp on a device: formulas, requirements, sentences and bits. x is read
/// once where a row of it fits in a tile of shared memory (float32_row_kernels.hpp).
/// Throws    ContractError
Float32NormForward float32_norm(const ref::model::Float32NormOptions& options,
                                const Float32NormInputs& in);

/// x and grad_y are read once more for grad_gamma and grad_beta, which the rows' blocks cannot add
/// up in the order of the rows.
Float32NormGradients float32_norm_backward(const ref::model::Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward);

}  // namespace normproof::gpu::norm
