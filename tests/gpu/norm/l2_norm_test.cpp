#include "gpu/norm/l2_norm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gpu/norm/step.hpp"
#include "ref/norm/l2_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::norm {
namespace {

using device::download;
using device::upload;
using ref::model::EpsPlacement;
using ref::model::L2NormOptions;
using ref::tensor::Tensor;

constexpr EpsPlacement kPlacements[] = {EpsPlacement::inside, EpsPlacement::outside,
                                        EpsPlacement::floor};

TEST(DeviceL2Norm, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const Shape& shape : {Shape{1, 1}, {7}, {5, 66}, {2, 3, 33}})
      for (const EpsPlacement placement : kPlacements)
        for (const double eps : {1e-6, 3.0}) {
          const L2NormOptions options{.eps = eps, .eps_placement = placement};
          Tensor<double> x = random_wide_range_tensor(shape, "x");
          for (std::size_t i = 0; i < shape.back(); ++i) x.data()[i] = 0;
          const Tensor<double> grad_y = random_wide_range_tensor(shape, "grad_y");
          EXPECT_BITS_EQ(download(l2_norm(upload(*device, x), options)),
                         ref::norm::l2_norm(x, options));
          EXPECT_BITS_EQ(
              download(l2_norm_backward(upload(*device, grad_y), upload(*device, x), options)),
              ref::norm::l2_norm_backward(grad_y, x, options));
        }
}

TEST(DeviceL2Norm, ErrorMessagesMatchTheReference) {
  const auto expect_same = [](const Tensor<double>& x, const Tensor<double>& grad_y,
                              const L2NormOptions& options) {
    for (const auto& device : make_simulated_devices()) {
      const auto expected =
          refusal_message([&] { ref::norm::l2_norm_backward(grad_y, x, options); });
      EXPECT_NE(expected, kNoError);
      EXPECT_EQ(refusal_message([&] { l2_norm(upload(*device, x), options); }),
                refusal_message([&] { ref::norm::l2_norm(x, options); }));
      EXPECT_EQ(refusal_message([&] {
                  l2_norm_backward(upload(*device, grad_y), upload(*device, x), options);
                }),
                expected);
    }
  };
  const Tensor<double> one = {{1, 2}, {3, 4}};
  expect_same({{1, std::numeric_limits<double>::quiet_NaN()}, {3, 4}}, one, {});
  expect_same({{1e200, 2}, {3, 4}}, one, {});
  for (const EpsPlacement placement : kPlacements)
    expect_same({{1, 2}, {0, 0}}, one, {.eps = 0, .eps_placement = placement});
  expect_same(one, one, {.eps = -1});
  expect_same(one, {{1, std::numeric_limits<double>::infinity()}, {3, 4}}, {});
  expect_same(one, {{1, 2, 3}, {4, 5, 6}}, {});
}

}  // namespace
}  // namespace normproof::gpu::norm
