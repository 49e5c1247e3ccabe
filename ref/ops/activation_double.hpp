#pragma once

#include "ref/ops/exponential_activation_kernels.hpp"
#include "ref/ops/softmax_kernels.hpp"

namespace normproof::ref::ops {

/// The kernels of softmax_kernels.hpp, activation_kernels.hpp and
/// exponential_activation_kernels.hpp for `double`, compiled for one instruction set. All
/// instruction sets give the same bits (docs/specification/determinism.md).
struct ActivationKernels {
  using Rows = std::size_t (*)(const SoftmaxRows<double>&, std::size_t, std::size_t);
  using Elementwise = std::size_t (*)(const ops::Elementwise<double>&, std::size_t, std::size_t);

  Rows softmax[2];  ///< [0] is softmax; [1] multiplies each row of it by one gradient
  Rows softmax_backward, log_softmax, log_softmax_backward, log_sum_exp;
  Elementwise identity, identity_backward, relu, relu_backward, gelu, gelu_backward, gelu_tanh,
      gelu_tanh_backward, silu, silu_backward, relu_squared, relu_squared_backward, sigmoid,
      sigmoid_backward, log_sigmoid, log_sigmoid_backward, softplus, softplus_backward,
      tanh_activation, tanh_activation_backward, mish, mish_backward;
};

extern const ActivationKernels activation_kernels_baseline;
#if defined(__x86_64__)
extern const ActivationKernels activation_kernels_avx2, activation_kernels_avx512;
#endif

}  // namespace normproof::ref::ops
