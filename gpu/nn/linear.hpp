#pragma once

#include "gpu/ops/matmul.hpp"

namespace normproof::gpu::nn {

using device::Device;
using device::DeviceTensor;
using ops::Products;

struct Linear {
  DeviceTensor<double> weight;  ///< [O,I]
  DeviceTensor<double> bias;    ///< [O]
};
struct LinearGradients {
  DeviceTensor<double> grad_x;
  Linear parameters;  ///< grad_weight, grad_bias
};

/// Device version with the same formulas, preconditions and error messages as ref/nn/linear.hpp.
/// With ordered_products it also gives the same bits.
/// Throws    ContractError
DeviceTensor<double> linear(const DeviceTensor<double>& x, const Linear& parameters,
                            const Products& products = ops::ordered_products());
LinearGradients linear_backward(const DeviceTensor<double>& grad_y, const DeviceTensor<double>& x,
                                const Linear& parameters,
                                const Products& products = ops::ordered_products());

}  // namespace normproof::gpu::nn
