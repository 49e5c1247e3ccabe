#include "gpu/nn/merge_attention_states.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/nn/merge_attention_states.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;
using ref::model::MergeAttentionStatesOptions;

Mask make_mask(std::size_t splits, std::size_t empty_period) {
  if (empty_period == 0) return {};
  Mask present = ref::tensor::full_tensor<bool>({splits, 2, 3, 5}, true);
  for (std::size_t i = 0; i < present.size(); i += empty_period) present.data()[i] = false;
  return present;
}

TEST(DeviceMergeAttentionStates, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const auto base : {ref::model::LogSumExpBase::e, ref::model::LogSumExpBase::two})
      for (const std::size_t splits : {1, 2, 7, 33})
        for (const std::size_t empty_period : {0, 1, 2, 5}) {
          const MergeAttentionStatesOptions options{.log_sum_exp_base = base};
          const auto o = random_normal_tensor({splits, 2, 3, 5, 4}, "o");
          const auto logs = random_normal_tensor({splits, 2, 3, 5}, "log_sum_exp");
          const auto grad_y = random_normal_tensor({2, 3, 5, 4}, "grad_y");
          const Mask present = make_mask(splits, empty_period);
          const auto expected = ref::nn::merge_attention_states(o, logs, present, options);
          const auto got =
              merge_attention_states(upload(*device, o), upload(*device, logs), present, options);
          EXPECT_BITS_EQ(download(got.y), expected.y);
          EXPECT_BITS_EQ(download(got.log_sum_exp), expected.log_sum_exp);
          EXPECT_BITS_EQ(download(got.weights), expected.weights);
          const auto of_reference = ref::nn::merge_attention_states_backward(
              grad_y, o, expected.weights, present, options);
          const auto gradients = merge_attention_states_backward(
              upload(*device, grad_y), upload(*device, o), got.weights, present, options);
          EXPECT_BITS_EQ(download(gradients.o), of_reference.o);
          EXPECT_BITS_EQ(download(gradients.log_sum_exp), of_reference.log_sum_exp);
        }
}

TEST(DeviceMergeAttentionStates, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  auto o = random_normal_tensor({2, 2, 3, 5, 4}, "o");
  auto logs = random_normal_tensor({2, 2, 3, 5}, "log_sum_exp");
  const auto expect = [&](const auto& values, const auto& logarithms, const Mask& present) {
    const std::string sentence =
        refusal_message([&] { ref::nn::merge_attention_states(values, logarithms, present); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal_message([&] {
                merge_attention_states(upload(*device, values), upload(*device, logarithms),
                                       present);
              }),
              sentence);
  };
  expect(random_normal_tensor({2, 3, 5, 4}, "o"), logs, {});
  expect(o, random_normal_tensor({2, 2, 3, 4}, "log_sum_exp"), {});
  expect(o, logs, make_mask(3, 2));
  logs.data()[7] = std::numeric_limits<double>::infinity();
  expect(o, logs, make_mask(2, 2));
  o.data()[6] = std::numeric_limits<double>::quiet_NaN();
  expect(o, logs, {});
  expect(o, logs, make_mask(2, 2));
  const auto right = random_normal_tensor({2, 2, 3, 5, 4}, "o");
  const auto expect_backward = [&](const auto& grad_y, const auto& weights) {
    const std::string sentence =
        refusal_message([&] { ref::nn::merge_attention_states_backward(grad_y, right, weights); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal_message([&] {
                merge_attention_states_backward(upload(*device, grad_y), upload(*device, right),
                                                upload(*device, weights));
              }),
              sentence);
  };
  const auto weights = random_normal_tensor({30, 2}, "weights");
  auto grad_y = random_normal_tensor({2, 3, 5, 4}, "grad_y");
  expect_backward(random_normal_tensor({2, 3, 5}, "grad_y"), weights);
  expect_backward(grad_y, random_normal_tensor({2, 30}, "weights"));
  grad_y.data()[3] = std::numeric_limits<double>::infinity();
  expect_backward(grad_y, weights);
}

}  // namespace
}  // namespace normproof::gpu::nn
