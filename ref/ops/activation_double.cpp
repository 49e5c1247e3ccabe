// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the compiler flags
// of that set.
#include "ref/ops/activation_double.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::ops {

extern const ActivationKernels NORMPROOF_JOIN(activation_kernels_, NORMPROOF_ISA){
    .softmax = {softmax_rows<false, double>, softmax_rows<true, double>},
    .softmax_backward = softmax_backward_rows<double>,
    .log_softmax = log_softmax_rows<double>,
    .log_softmax_backward = log_softmax_backward_rows<double>,
    .log_sum_exp = log_sum_exp_rows<double>,
    .identity = identity_elements<double>,
    .identity_backward = identity_backward_elements<double>,
    .relu = relu_elements<double>,
    .relu_backward = relu_backward_elements<double>,
    .gelu = gelu_elements<double>,
    .gelu_backward = gelu_backward_elements<double>,
    .gelu_tanh = gelu_tanh_elements<double>,
    .gelu_tanh_backward = gelu_tanh_backward_elements<double>,
    .silu = silu_elements<double>,
    .silu_backward = silu_backward_elements<double>,
    .relu_squared = relu_squared_elements<double>,
    .relu_squared_backward = relu_squared_backward_elements<double>,
    .sigmoid = sigmoid_elements<double>,
    .sigmoid_backward = sigmoid_backward_elements<double>,
    .log_sigmoid = log_sigmoid_elements<double>,
    .log_sigmoid_backward = log_sigmoid_backward_elements<double>,
    .softplus = softplus_elements<double>,
    .softplus_backward = softplus_backward_elements<double>,
    .tanh_activation = tanh_activation_elements<double>,
    .tanh_activation_backward = tanh_activation_backward_elements<double>,
    .mish = mish_elements<double>,
    .mish_backward = mish_backward_elements<double>};

}  // namespace normproof::ref::ops
