#include "gpu/nn/multi_head_attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/nn/multi_head_attention.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;
using ref::tensor::Mask;

const ref::nn::Attention<double> kAttention{sample_linear(18, 6, "in"), sample_linear(6, 6, "out")};

void expect_same_attention(Device& device, const Mask& valid, std::size_t num_heads, double rate,
                           bool causal) {
  const Attention there{on_device(device, kAttention.in), on_device(device, kAttention.out)};
  const auto x = random_normal_tensor({2, 7, 6}, "x"),
             grad_y = random_normal_tensor({2, 7, 6}, "grad_y");
  const ref::nn::AttentionOptions options{.num_heads = num_heads,
                                          .dropout = rate,
                                          .key = {.seed = 1, .step = 2, .place = "p"},
                                          .causal = causal};
  AttentionOptions device_options{num_heads, rate, {1, 2, "p"}};
  device_options.causal = causal;
  const DeviceMask mask(device, valid);
  const auto forward = ref::nn::multi_head_attention(x, kAttention, valid, options);
  const auto got = multi_head_attention(upload(device, x), there, mask, device_options);
  EXPECT_BITS_EQ(download(got.y), forward.y);
  EXPECT_BITS_EQ(download(got.weights), forward.saved.weights);
  const auto backward =
      ref::nn::multi_head_attention_backward(grad_y, x, kAttention, valid, forward.saved, options);
  const auto got_backward = multi_head_attention_backward(upload(device, grad_y), upload(device, x),
                                                          there, mask, got, device_options);
  EXPECT_BITS_EQ(download(got_backward.grad_x), backward.grad_x);
  EXPECT_BITS_EQ(download(got_backward.parameters.in.weight), backward.parameters.in.weight);
  EXPECT_BITS_EQ(download(got_backward.parameters.in.bias), backward.parameters.in.bias);
  EXPECT_BITS_EQ(download(got_backward.parameters.out.weight), backward.parameters.out.weight);
}

TEST(DeviceAttention, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const std::size_t num_heads : {1, 3, 6})
      for (const Mask& valid : {Mask{}, random_mask({2, 7}, "valid")}) {
        expect_same_attention(*device, valid, num_heads, 0, false);
        expect_same_attention(*device, valid, num_heads, 0.3, false);
        expect_same_attention(*device, valid, num_heads, 0, true);
        expect_same_attention(*device, valid, num_heads, 0.3, true);
      }
}

TEST(DeviceAttention, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const Attention there{on_device(*device, kAttention.in), on_device(*device, kAttention.out)};
  const auto x = random_normal_tensor({2, 7, 6}, "x");
  EXPECT_EQ(
      refusal_message(
          [&] { multi_head_attention(upload(*device, x), there, {}, {.num_heads = 4}); }),
      refusal_message([&] { ref::nn::multi_head_attention(x, kAttention, {}, {.num_heads = 4}); }));
}

/// Expects the device and the reference to give the same error messages for an invalid element. In
/// the input x of the forward, the element with the flat index `at` is NaN. In the input grad_y of
/// the backward, the element with this index is infinite.
void expect_same_error(Device& device, const ref::tensor::Shape& shape, std::size_t num_heads,
                       std::size_t at, const Mask& valid, bool causal = false) {
  const std::size_t d = shape[2];
  const ref::nn::Attention<double> parameters{sample_linear(3 * d, d, "in"),
                                              sample_linear(d, d, "out")};
  const Attention there{on_device(device, parameters.in), on_device(device, parameters.out)};
  auto x = random_normal_tensor(shape, "x");
  auto grad_y = random_normal_tensor(shape, "grad_y");
  const ref::nn::AttentionOptions options{.num_heads = num_heads, .causal = causal};
  AttentionOptions device_options;
  device_options.num_heads = num_heads;
  device_options.causal = causal;
  const DeviceMask mask(device, valid);
  const auto forward = ref::nn::multi_head_attention(x, parameters, valid, options);
  const auto got = multi_head_attention(upload(device, x), there, mask, device_options);
  grad_y.data()[at] = std::numeric_limits<double>::infinity();
  const std::string backward = refusal_message([&] {
    ref::nn::multi_head_attention_backward(grad_y, x, parameters, valid, forward.saved, options);
  });
  EXPECT_NE(backward.find("attention in sentence "), std::string::npos) << backward;
  EXPECT_EQ(refusal_message([&] {
              multi_head_attention_backward(upload(device, grad_y), upload(device, x), there, mask,
                                            got, device_options);
            }),
            backward);
  x.data()[at] = std::nan("");
  const std::string sentence =
      refusal_message([&] { ref::nn::multi_head_attention(x, parameters, valid, options); });
  EXPECT_NE(sentence.find("attention in sentence "), std::string::npos) << sentence;
  EXPECT_EQ(refusal_message(
                [&] { multi_head_attention(upload(device, x), there, mask, device_options); }),
            sentence);
}

// Tests heads that are computed together, and 257 positions, for which each head is computed alone.
TEST(DeviceAttention, ErrorNamesTheSentenceAndHeadsOfInvalidScores) {
  const auto device = device::simulated_device(3);
  expect_same_error(*device, {2, 7, 6}, 3, 7 * 6 + 2 * 6 + 3, {});
  expect_same_error(*device, {3, 7, 6}, 2, 2 * 7 * 6, random_mask({3, 7}, "valid"));
  expect_same_error(*device, {3, 7, 6}, 2, 2 * 7 * 6, random_mask({3, 7}, "valid"), true);
  expect_same_error(*device, {2, 257, 2}, 2, 257 * 2 + 1, {});
}

}  // namespace
}  // namespace normproof::gpu::nn
