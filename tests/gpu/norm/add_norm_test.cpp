#include "gpu/norm/add_norm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/norm/add_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::norm {
namespace {

using device::download;
using device::upload;
using ref::tensor::Tensor;

struct AddNormTensors {
  Tensor<double> x, residual, gamma, beta, grad_y, grad_sum;

  explicit AddNormTensors(const Shape& shape)
      : x(random_wide_range_tensor(shape, "x")),
        residual(random_wide_range_tensor(shape, "residual")),
        gamma(random_wide_range_tensor({shape.back()}, "gamma")),
        beta(random_wide_range_tensor({shape.back()}, "beta")),
        grad_y(random_wide_range_tensor(shape, "grad_y")),
        grad_sum(random_wide_range_tensor(shape, "grad_sum")) {}
  NormInputs on(Device& device) const {
    return {.x = upload(device, x),
            .gamma = upload(device, gamma),
            .beta = upload(device, beta),
            .grad_y = upload(device, grad_y)};
  }
};

template <class Forward>
void expect_same_add_norm_step(const NormStep& forward, const NormStep& backward,
                               const Forward& expected,
                               const ref::norm::AffineGradients<double>& gradients) {
  EXPECT_BITS_EQ(download(forward.outputs.at("y")), expected.y);
  EXPECT_BITS_EQ(download(forward.outputs.at("sum")), expected.sum);
  EXPECT_BITS_EQ(download(backward.outputs.at("grad_x")), gradients.grad_x);
  EXPECT_BITS_EQ(download(backward.outputs.at("grad_gamma")), gradients.grad_gamma);
  EXPECT_BITS_EQ(download(backward.outputs.at("grad_beta")), gradients.grad_beta);
}

TEST(DeviceAddNorm, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const Shape& shape : {Shape{1, 1}, {5, 66}, {2, 3, 33}}) {
      const AddNormTensors t(shape);
      const ref::norm::Affine<double> affine{t.gamma, t.beta};
      NormStep forward, backward;
      add_layer_norm({}, t.on(*device), upload(*device, t.residual), forward);
      add_layer_norm_backward(t.on(*device), upload(*device, t.grad_sum), forward, backward);
      const auto layer = ref::norm::add_layer_norm(t.x, t.residual, affine);
      expect_same_add_norm_step(
          forward, backward, layer,
          ref::norm::add_layer_norm_backward(t.grad_y, t.grad_sum, layer.sum, affine, layer.saved));
      NormStep rms_forward, rms_backward;
      add_rms_norm({}, t.on(*device), upload(*device, t.residual), rms_forward);
      add_rms_norm_backward(t.on(*device), upload(*device, t.grad_sum), rms_forward, rms_backward);
      const auto rms = ref::norm::add_rms_norm(t.x, t.residual, affine);
      expect_same_add_norm_step(
          rms_forward, rms_backward, rms,
          ref::norm::add_rms_norm_backward(t.grad_y, t.grad_sum, rms.sum, affine, rms.saved));
    }
}

TEST(DeviceAddNorm, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  AddNormTensors t({2, 3});
  const auto expect_same = [&] {
    NormStep forward, backward;
    const auto expected = refusal_message([&] {
      const auto layer = ref::norm::add_layer_norm(t.x, t.residual, {t.gamma, t.beta});
      ref::norm::add_layer_norm_backward(t.grad_y, t.grad_sum, layer.sum, {t.gamma, t.beta},
                                         layer.saved);
    });
    EXPECT_NE(expected, kNoError);
    EXPECT_EQ(refusal_message([&] {
                add_layer_norm({}, t.on(*device), upload(*device, t.residual), forward);
                add_layer_norm_backward(t.on(*device), upload(*device, t.grad_sum), forward,
                                        backward);
              }),
              expected);
  };
  for (Tensor<double>* spoilt : {&t.x, &t.residual, &t.grad_y, &t.grad_sum}) {
    const Tensor<double> good = *spoilt;
    spoilt->data()[4] = std::numeric_limits<double>::infinity();
    expect_same();
    *spoilt = random_wide_range_tensor({3, 2}, "other shape");
    expect_same();
    *spoilt = good;
  }
  t.x.data()[2] = t.residual.data()[2] = 1.5e308;
  expect_same();
}

}  // namespace
}  // namespace normproof::gpu::norm
