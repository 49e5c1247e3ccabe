#include "gpu/ops/gated_activation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/ops/gated_activation.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;
using On = DeviceTensor<double>;

struct GatedFunctions {
  On (*forward)(const On&, const On&);
  DeviceGatedGradients (*backward)(const On&, const On&, const On&);
  Tensor (*ref_forward)(const Tensor&, const Tensor&);
  ref::ops::GatedGradients<double> (*ref_backward)(const Tensor&, const Tensor&, const Tensor&);
};
const GatedFunctions kGated[] = {
    {swiglu, swiglu_backward, ref::ops::swiglu, ref::ops::swiglu_backward},
    {geglu, geglu_backward, ref::ops::geglu, ref::ops::geglu_backward}};

TEST(DeviceGatedActivation, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const GatedFunctions& f : kGated)
      for (const ref::tensor::Shape& shape : {ref::tensor::Shape{1}, {3, 1000}}) {
        const Tensor x = random_wide_range_tensor(shape, "x"),
                     gate = random_wide_range_tensor(shape, "gate");
        const Tensor grad_y = random_wide_range_tensor(shape, "grad_y");
        const auto there = upload(*device, x), gate_there = upload(*device, gate);
        EXPECT_BITS_EQ(download(f.forward(there, gate_there)), f.ref_forward(x, gate));
        const auto got = f.backward(upload(*device, grad_y), there, gate_there);
        const auto expected = f.ref_backward(grad_y, x, gate);
        EXPECT_BITS_EQ(download(got.x), expected.x);
        EXPECT_BITS_EQ(download(got.gate), expected.gate);
      }
}

TEST(DeviceGatedActivation, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto on = [&](const Tensor& t) { return upload(*device, t); };
  for (const GatedFunctions& f : kGated) {
    Tensor x = random_wide_range_tensor({2, 3}, "x"),
           gate = random_wide_range_tensor({2, 3}, "gate"),
           grad_y = random_wide_range_tensor({2, 3}, "g");
    const auto expect_same = [&] {
      EXPECT_EQ(refusal_message([&] { f.forward(on(x), on(gate)); }),
                refusal_message([&] { f.ref_forward(x, gate); }));
      EXPECT_EQ(refusal_message([&] { f.backward(on(grad_y), on(x), on(gate)); }),
                refusal_message([&] { f.ref_backward(grad_y, x, gate); }));
    };
    for (Tensor* spoilt : {&x, &gate, &grad_y}) {
      const Tensor good = *spoilt;
      spoilt->data()[4] = std::numeric_limits<double>::infinity();
      expect_same();
      *spoilt = random_wide_range_tensor({3, 2}, "other shape");
      expect_same();
      *spoilt = good;
    }
    grad_y.data()[5] = gate.data()[5] = 1e300;
    expect_same();
  }
}

}  // namespace
}  // namespace normproof::gpu::ops
