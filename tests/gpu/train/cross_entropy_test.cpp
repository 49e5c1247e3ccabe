#include "gpu/train/cross_entropy.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/train/cross_entropy.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

std::vector<int> sample_targets(std::size_t rows, int classes) {
  std::vector<int> targets(rows);
  for (std::size_t i = 0; i < rows; ++i)
    targets[i] = static_cast<int>(i * 7 + 1) % (classes + 1) - 1;
  targets[0] = 0;
  return targets;
}

TEST(DeviceCrossEntropy, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const std::size_t rows : {1, 3, 100})
      for (const int classes : {1, 3, 40})
        for (const double smoothing : {0.0, 0.1, 1.0}) {
          const auto count = static_cast<std::size_t>(classes);
          Tensor weights = random_normal_tensor({count}, "weights");
          for (double& w : weights) w *= w;
          const Tensor logits = random_normal_tensor({rows, count}, "logits");
          const auto targets = sample_targets(rows, classes);
          const ref::model::LossOptions options{smoothing};
          for (const Tensor& given : {Tensor{}, weights}) {
            const auto expected = ref::train::cross_entropy(logits, targets, given, options);
            const auto got =
                cross_entropy(upload(*device, logits), targets, upload(*device, given), options);
            EXPECT_BITS_EQ(device::download_element(got.loss), expected.loss);
            EXPECT_BITS_EQ(download(got.log_probabilities), expected.log_probabilities);
            EXPECT_BITS_EQ(download(cross_entropy_backward(got.log_probabilities, targets,
                                                           upload(*device, given), options)),
                           ref::train::cross_entropy_backward(expected.log_probabilities, targets,
                                                              given, options));
          }
        }
}

TEST(DeviceCrossEntropy, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect_same = [&](const Tensor& logits, const std::vector<int>& targets,
                               const Tensor& weights, double smoothing) {
    EXPECT_EQ(
        refusal_message([&] {
          cross_entropy(upload(*device, logits), targets, upload(*device, weights), {smoothing});
        }),
        refusal_message(
            [&] { ref::train::cross_entropy<double>(logits, targets, weights, {smoothing}); }));
  };
  const Tensor logits = {{1, 2}, {3, 4}};
  expect_same(logits, {0}, {}, 0);
  expect_same(logits, {0, 2}, {}, 0);
  expect_same(logits, {-1, -1}, {}, 0);
  expect_same(logits, {0, 1}, {1, 2, 3}, 0);
  expect_same(logits, {0, 1}, {1, -2}, 0);
  expect_same(logits, {0, 0}, {0, 2}, 0);
  expect_same(logits, {0, 1}, {}, 1.5);
  expect_same({{1, std::numeric_limits<double>::quiet_NaN()}, {3, 4}}, {0, 1}, {}, 0);
  expect_same({{1.7e308, -1.7e308}, {3, 4}}, {0, 1}, {}, 0);
}

}  // namespace
}  // namespace normproof::gpu::train
