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

/// Of forward.sum where it is given, else of in.x. The gradients of gamma and beta need x and
/// grad_y in the order of the rows, which no row's block has: they read them again, after every so
/// many rows as the second-level cache of a GPU holds.
Float32NormGradients float32_norm_backward(const ref::model::Float32NormOptions& options,
                                           const Float32NormInputs& in,
                                           const Float32NormForward& forward);

/// How many rows float32_norm_backward goes through before their part of the gradients of gamma and
/// beta: a multiple of 32, as many as have kBytesAtOnce of x and grad_y, but 32 at least.
inline constexpr std::size_t kBytesAtOnce = std::size_t{16} << 20;
std::size_t rows_at_once(std::size_t width, std::size_t bytes_of_an_element);

}  // namespace normproof::gpu::norm
