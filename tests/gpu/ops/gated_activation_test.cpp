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
    {[](const On& x, const On& gate) { return swiglu(x, gate); },
     [](const On& grad_y, const On& x, const On& gate) { return swiglu_backward(grad_y, x, gate); },
     [](const Tensor& x, const Tensor& gate) { return ref::ops::swiglu(x, gate); },
     [](const Tensor& grad_y, const Tensor& x, const Tensor& gate) {
       return ref::ops::swiglu_backward(grad_y, x, gate);
     }},
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

constexpr DeviceSwigluParameters kLimited = {.limit = 2, .alpha = 1.5, .beta = 1};
constexpr ref::ops::SwigluParameters kRefLimited = {.limit = 2, .alpha = 1.5, .beta = 1};

TEST(DeviceGatedActivation, LimitedSwigluMatchesReferenceBits) {
  for (const auto& device : make_simulated_devices()) {
    Tensor x = random_wide_range_tensor({3, 1000}, "x"),
           gate = random_wide_range_tensor({3, 1000}, "gate");
    const Tensor grad_y = random_wide_range_tensor({3, 1000}, "grad_y");
    x.data()[7] = gate.data()[8] = 2;
    gate.data()[9] = -2;
    const auto there = upload(*device, x), gate_there = upload(*device, gate);
    EXPECT_BITS_EQ(download(swiglu(there, gate_there, kLimited)),
                   ref::ops::swiglu(x, gate, kRefLimited));
    const auto got = swiglu_backward(upload(*device, grad_y), there, gate_there, kLimited);
    const auto expected = ref::ops::swiglu_backward(grad_y, x, gate, kRefLimited);
    EXPECT_BITS_EQ(download(got.x), expected.x);
    EXPECT_BITS_EQ(download(got.gate), expected.gate);
  }
}

TEST(DeviceGatedActivation, ParametersOutOfRangeGiveTheMessagesOfTheReference) {
  const auto device = device::simulated_device();
  const Tensor one = {1}, large = {1e300};
  const auto on = [&](const Tensor& t) { return upload(*device, t); };
  const auto expect_same = [&](double limit, double alpha, double beta) {
    EXPECT_EQ(refusal_message([&] {
                swiglu(on(large), on(one), {limit, alpha, beta});
              }),
              refusal_message([&] {
                ref::ops::swiglu(large, one, {limit, alpha, beta});
              }));
    EXPECT_EQ(refusal_message([&] {
                swiglu_backward(on(one), on(large), on(one), {limit, alpha, beta});
              }),
              refusal_message([&] {
                ref::ops::swiglu_backward(one, large, one, {limit, alpha, beta});
              }));
  };
  expect_same(0, 1, 0);
  expect_same(1, 0, 0);
  expect_same(1, 1, std::numeric_limits<double>::quiet_NaN());
  expect_same(std::numeric_limits<double>::infinity(), 1e10, 0);
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
