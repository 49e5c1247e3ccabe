#include "gpu/ops/activation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "ref/ops/activation.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

struct ActivationFunctions {
  DeviceTensor<double> (*forward)(const DeviceTensor<double>&);
  DeviceTensor<double> (*backward)(const DeviceTensor<double>&, const DeviceTensor<double>&);
  Tensor (*ref_forward)(const Tensor&);
  Tensor (*ref_backward)(const Tensor&, const Tensor&);
};
const ActivationFunctions kActivations[] = {
    {identity, identity_backward, ref::ops::identity, ref::ops::identity_backward},
    {relu, relu_backward, ref::ops::relu, ref::ops::relu_backward},
    {gelu, gelu_backward, ref::ops::gelu, ref::ops::gelu_backward},
    {gelu_tanh, gelu_tanh_backward, ref::ops::gelu_tanh, ref::ops::gelu_tanh_backward},
    {silu, silu_backward, ref::ops::silu, ref::ops::silu_backward},
    {relu_squared, relu_squared_backward, ref::ops::relu_squared, ref::ops::relu_squared_backward},
    {sigmoid, sigmoid_backward, ref::ops::sigmoid, ref::ops::sigmoid_backward},
    {log_sigmoid, log_sigmoid_backward, ref::ops::log_sigmoid, ref::ops::log_sigmoid_backward},
    {tanh_activation, tanh_activation_backward, ref::ops::tanh_activation,
     ref::ops::tanh_activation_backward},
    {mish, mish_backward, ref::ops::mish, ref::ops::mish_backward}};

TEST(DeviceActivation, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const ActivationFunctions& f : kActivations)
      for (const ref::tensor::Shape& shape : {ref::tensor::Shape{1}, {3, 1000}}) {
        Tensor x = random_wide_range_tensor(shape, "x");
        x.data()[0] = -0.0;
        const Tensor grad_y = random_wide_range_tensor(shape, "grad_y");
        const auto there = upload(*device, x);
        EXPECT_BITS_EQ(download(f.forward(there)), f.ref_forward(x));
        EXPECT_BITS_EQ(download(f.backward(upload(*device, grad_y), there)),
                       f.ref_backward(grad_y, x));
      }
}

TEST(DeviceActivation, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  for (const ActivationFunctions& f : kActivations) {
    Tensor x = random_wide_range_tensor({2, 3}, "x"),
           grad_y = random_wide_range_tensor({2, 3}, "grad_y");
    x.data()[4] = std::numeric_limits<double>::infinity();
    const auto expect_same = [&] {
      EXPECT_EQ(refusal_message([&] { f.backward(upload(*device, grad_y), upload(*device, x)); }),
                refusal_message([&] { f.ref_backward(grad_y, x); }));
    };
    EXPECT_EQ(refusal_message([&] { f.forward(upload(*device, x)); }),
              refusal_message([&] { f.ref_forward(x); }));
    expect_same();
    grad_y.data()[4] = std::numeric_limits<double>::quiet_NaN();
    expect_same();
    grad_y = random_wide_range_tensor({3, 2}, "grad_y");
    expect_same();
  }
}

TEST(DeviceActivation, SoftplusMatchesReferenceBitsAndErrorMessages) {
  const Tensor x = random_wide_range_tensor({3, 1000}, "x"),
               grad_y = random_wide_range_tensor({3, 1000}, "grad_y");
  for (const auto& device : make_simulated_devices())
    for (const auto& [beta, threshold] :
         {std::pair{1.0, std::numeric_limits<double>::infinity()}, {3.0, 2.0}, {0.5, 20.0}}) {
      const auto there = upload(*device, x);
      EXPECT_BITS_EQ(download(softplus(there, beta, threshold)),
                     ref::ops::softplus(x, beta, threshold));
      EXPECT_BITS_EQ(download(softplus_backward(upload(*device, grad_y), there, beta, threshold)),
                     ref::ops::softplus_backward(grad_y, x, beta, threshold));
    }
  const auto device = device::simulated_device();
  const auto there = upload(*device, x);
  for (const auto& [beta, threshold] : {std::pair{0.0, 20.0}, {1.0, -1.0}}) {
    EXPECT_EQ(refusal_message([&] { softplus(there, beta, threshold); }),
              refusal_message([&] { ref::ops::softplus(x, beta, threshold); }));
    EXPECT_EQ(refusal_message([&] { softplus_backward(there, there, beta, threshold); }),
              refusal_message([&] { ref::ops::softplus_backward(x, x, beta, threshold); }));
  }
}

}  // namespace
}  // namespace normproof::gpu::ops
