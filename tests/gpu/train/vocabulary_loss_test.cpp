#include "gpu/train/vocabulary_loss.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/train/vocabulary_loss.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

/// Inputs of the vocabulary loss: hidden rows x, weight and bias of the head, and one target per
/// row. Every fourth target is ignored, and so are the targets from row `counted` on.
struct LossCase {
  Tensor x, weight, bias;
  std::vector<int> targets;

  LossCase(std::size_t rows, std::size_t d_model, std::size_t vocabulary, std::size_t counted)
      : x(random_normal_tensor({rows, d_model}, "x")),
        weight(random_normal_tensor({vocabulary, d_model}, "weight")),
        bias(random_normal_tensor({vocabulary}, "bias")) {
    for (std::size_t i = 0; i < rows; ++i)
      targets.push_back(i % 4 == 1 || i >= counted ? kIgnored
                                                   : static_cast<int>(i * 7 % vocabulary));
  }
  nn::Linear head(device::Device& device) const {
    return {upload(device, weight), upload(device, bias)};
  }
};

// 700 rows are two full blocks of 256 rows and a partial block. 600 rows with targets only in the
// first 200 contain a block without targets. 20 rows are fewer than the 32 summation lanes of rule
// R2.
TEST(DeviceVocabularyLoss, MatchesReferenceBitsForAnyBlockSize) {
  for (const auto& device : make_simulated_devices())
    for (const auto& [rows, counted] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {20, 20}, {700, 700}, {600, 200}})
      for (const double smoothing : {0.0, 0.1}) {
        const LossCase c(rows, 5, 11, counted);
        const ref::model::LossOptions options{smoothing};
        const auto expected = ref::train::vocabulary_loss_gradient<double>(c.x, {c.weight, c.bias},
                                                                           c.targets, options);
        for (const std::size_t block : {0, 256, 512}) {
          const auto x = upload(*device, c.x);
          const auto got = vocabulary_loss_gradient(x, c.head(*device), c.targets, options, block);
          EXPECT_BITS_EQ(device::download_element(got.loss), expected.loss);
          EXPECT_BITS_EQ(download(got.grad_x), expected.grad_x);
          EXPECT_BITS_EQ(download(got.head.weight), expected.head.weight);
          EXPECT_BITS_EQ(download(got.head.bias), expected.head.bias);
          EXPECT_BITS_EQ(device::download_element(
                             vocabulary_loss(x, c.head(*device), c.targets, options, block)),
                         expected.loss);
        }
      }
}

TEST(DeviceVocabularyLoss, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect_same = [&](const LossCase& c, double smoothing = 0, std::size_t block = 0) {
    const std::string expected = refusal_message([&] {
      ref::train::vocabulary_loss_gradient<double>(c.x, {c.weight, c.bias}, c.targets, {smoothing},
                                                   block);
    });
    EXPECT_NE(expected, kNoError);
    EXPECT_EQ(refusal_message([&] {
                vocabulary_loss_gradient(upload(*device, c.x), c.head(*device), c.targets,
                                         {smoothing}, block);
              }),
              expected);
  };
  const LossCase valid_case(300, 3, 5, 300);
  expect_same(valid_case, 1.5);
  expect_same(valid_case, 0, 100);
  LossCase c = valid_case;
  c.targets.pop_back();
  expect_same(c);
  c = valid_case;
  c.targets[7] = 5;
  expect_same(c);
  expect_same(LossCase(300, 3, 5, 0));
  c = valid_case;
  c.bias = random_normal_tensor({4}, "bias");
  expect_same(c);
  c = valid_case;
  c.x.data()[280 * 3] = std::numeric_limits<double>::infinity();
  expect_same(c, 0, 256);
  c = valid_case;
  c.bias = {1.7e308, -1.7e308, 0, 0, 0};
  expect_same(c);
  c.x = random_normal_tensor({2, 3, 3}, "x");
  expect_same(c);
}

}  // namespace
}  // namespace normproof::gpu::train
