#include "gpu/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/ops/softmax.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::Device;
using device::download;
using device::upload;
using ref::tensor::Mask;
using ref::tensor::Shape;
using Tensor = ref::tensor::Tensor<double>;

struct SoftmaxSample {
  Shape x;
  Shape mask;
};
const SoftmaxSample kSoftmaxSamples[] = {{{1}, {}},          {{5, 100}, {}},
                                         {{40}, {40}},       {{7, 33}, {33}},
                                         {{7, 33}, {7, 33}}, {{2, 3, 9, 9}, {2, 1, 1, 9}},
                                         {{66, 3}, {}},      {{2, 3, 4, 5}, {3, 1, 5}}};

Tensor random_wide_range_scores(const Shape& shape, std::string_view name) {
  Tensor x = random_normal_tensor(shape, name);
  for (double& v : x) v *= 30;
  return x;
}

void expect_same_softmax(Device& device, const Tensor& x, const Tensor& grad_y, const Mask& valid) {
  const std::size_t width = x.shape().back();
  const DeviceMask mask(device, valid, width);
  const auto there = upload(device, x), grad = upload(device, grad_y);
  const Tensor y = ref::ops::softmax(x, valid);
  EXPECT_BITS_EQ(download(softmax(there, mask)), y);
  EXPECT_BITS_EQ(download(softmax_backward(grad, upload(device, y), mask)),
                 ref::ops::softmax_backward(grad_y, y, valid));
}

TEST(DeviceSoftmax, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const auto& [shape, mask_shape] : kSoftmaxSamples) {
      const Tensor x = random_wide_range_scores(shape, "x"),
                   grad_y = random_wide_range_tensor(shape, "grad_y");
      const Mask valid = mask_shape.empty() ? Mask{} : random_mask(mask_shape, "valid");
      expect_same_softmax(*device, x, grad_y, valid);
      const auto there = upload(*device, x);
      const Tensor y = ref::ops::log_softmax(x);
      EXPECT_BITS_EQ(download(log_softmax(there)), y);
      EXPECT_BITS_EQ(download(log_softmax_backward(upload(*device, grad_y), upload(*device, y))),
                     ref::ops::log_softmax_backward(grad_y, y));
      if (shape.size() < 2) continue;
      const DeviceMask mask(*device, valid, shape.back());
      EXPECT_BITS_EQ(download(log_sum_exp(there, mask)), ref::ops::log_sum_exp(x, valid));
      const Tensor grad = random_wide_range_tensor({shape.begin(), shape.end() - 1}, "grad");
      EXPECT_BITS_EQ(download(log_sum_exp_backward(upload(*device, grad), there, mask)),
                     ref::ops::log_sum_exp_backward(grad, x, valid));
    }
}

TEST(DeviceSoftmax, MatchesReferenceBeyond65535Rows) {
  const auto device = device::simulated_device();
  expect_same_softmax(*device, random_wide_range_scores({65537, 2}, "x"),
                      random_wide_range_tensor({65537, 2}, "grad_y"), {});
}

TEST(DeviceSoftmax, IgnoresMaskedElementsAndZeroesFullyMaskedRows) {
  const auto device = device::simulated_device();
  Tensor x = random_wide_range_scores({2, 3}, "x");
  x.data()[1] = std::numeric_limits<double>::quiet_NaN();
  const Mask valid = {{true, false, true}, {false, false, false}};
  expect_same_softmax(*device, x, random_wide_range_tensor({2, 3}, "grad_y"), valid);
}

TEST(DeviceSoftmax, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const double inf = std::numeric_limits<double>::infinity();
  const auto expect_same = [&](const Tensor& x, const Mask& valid) {
    const Tensor grad_y = ref::tensor::full_tensor<double>(ref::tensor::shape_of(x), 1e308);
    const auto there = upload(*device, x), grad = upload(*device, grad_y);
    const DeviceMask mask(*device, valid, valid.dimension() == 0 ? 1 : valid.shape().back());
    EXPECT_EQ(refusal_message([&] { softmax(there, mask); }),
              refusal_message([&] { ref::ops::softmax(x, valid); }));
    EXPECT_EQ(refusal_message([&] { log_softmax(there); }),
              refusal_message([&] { ref::ops::log_softmax(x); }));
    EXPECT_EQ(refusal_message([&] { log_sum_exp(there, mask); }),
              refusal_message([&] { ref::ops::log_sum_exp(x, valid); }));
    EXPECT_EQ(refusal_message([&] { softmax_backward(grad, there, mask); }),
              refusal_message([&] { ref::ops::softmax_backward(grad_y, x, valid); }));
    EXPECT_EQ(refusal_message([&] { log_softmax_backward(grad, there); }),
              refusal_message([&] { ref::ops::log_softmax_backward(grad_y, x); }));
  };
  expect_same({{1, -inf}, {2, 3}}, {});
  expect_same({{1, 2}, {2, inf}}, {{true, true}, {true, false}});
  expect_same({{1, 2}, {2, 3}}, {{true, true}, {false, false}});
  expect_same({{1, 2}, {2, 3}}, {true, true, false});
  expect_same({{1e3, 2}, {2, 3}}, {});
}

}  // namespace
}  // namespace normproof::gpu::ops
