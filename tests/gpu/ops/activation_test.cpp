#include "gpu/ops/activation.hpp"

#include <gtest/gtest.h>

#include <limits>

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
    {silu, silu_backward, ref::ops::silu, ref::ops::silu_backward}};

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

}  // namespace
}  // namespace normproof::gpu::ops
