#include "gpu/nn/scaled_dot_product_attention.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/nn/scaled_dot_product_attention.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;
using ref::tensor::Mask;

struct DotProductSample {
  ref::tensor::Tensor<double> q, k, v, grad_y, sinks;

  DotProductSample(std::size_t heads, std::size_t kv_heads, std::size_t tokens, std::size_t keys)
      : q(random_normal_tensor({2, heads, tokens, 3}, "q")),
        k(random_normal_tensor({2, kv_heads, keys, 3}, "k")),
        v(random_normal_tensor({2, kv_heads, keys, 2}, "v")),
        grad_y(random_normal_tensor({2, heads, tokens, 2}, "grad_y")),
        sinks(random_normal_tensor({heads}, "sinks")) {}
};

void expect_same_dot_product(Device& device, const DotProductSample& s, const Mask& valid,
                             const ref::model::AttentionOptions& options, bool with_sinks = false,
                             const ref::tensor::Shape& bias_shape = {}) {
  ref::tensor::Tensor<double> bias;
  Mask bias_visible;
  if (!bias_shape.empty()) {
    bias = random_normal_tensor(bias_shape, "bias");
    bias_visible = random_mask(bias_shape, "bias_visible");
  }
  const DeviceMask mask(device, valid);
  const auto forward = ref::nn::scaled_dot_product_attention(
      s.q, s.k, s.v, valid, options,
      {.sinks = with_sinks ? s.sinks : ref::tensor::Tensor<double>(),
       .bias = bias,
       .bias_visible = bias_visible});
  const auto k = upload(device, s.k), v = upload(device, s.v);
  const auto got = scaled_dot_product_attention(
      upload(device, s.q), k, v, mask, options, ops::ordered_products(),
      {.sinks = with_sinks ? upload(device, s.sinks) : DeviceTensor<double>(),
       .bias = bias_shape.empty() ? DeviceTensor<double>() : upload(device, bias),
       .bias_visible = bias_visible});
  EXPECT_BITS_EQ(download(got.y), forward.y);
  EXPECT_BITS_EQ(download(got.weights), forward.saved.weights);
  EXPECT_EQ(got.log_sum_exp.is_given(), ref::tensor::is_given(forward.log_sum_exp));
  if (got.log_sum_exp.is_given()) {
    EXPECT_BITS_EQ(download(got.log_sum_exp), forward.log_sum_exp);
  }
  const auto backward = ref::nn::scaled_dot_product_attention_backward(s.grad_y, s.k, s.v, valid,
                                                                       forward.saved, options);
  const auto got_backward =
      scaled_dot_product_attention_backward(upload(device, s.grad_y), k, v, mask, got, options);
  EXPECT_BITS_EQ(download(got_backward.q), backward.q);
  EXPECT_BITS_EQ(download(got_backward.k), backward.k);
  EXPECT_BITS_EQ(download(got_backward.v), backward.v);
  ASSERT_EQ(got_backward.bias.is_given(), !bias_shape.empty());
  if (!bias_shape.empty()) {
    EXPECT_BITS_EQ(download(got_backward.bias), backward.bias);
  }
  ASSERT_EQ(got_backward.sinks.is_given(), with_sinks);
  if (with_sinks) {
    EXPECT_BITS_EQ(download(got.sink_weights), forward.saved.sink_weights);
    EXPECT_BITS_EQ(download(got_backward.sinks), backward.sinks);
  }
}

TEST(DeviceDotProductAttention, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const DotProductSample& s : {DotProductSample(1, 1, 1, 1), DotProductSample(2, 2, 5, 5),
                                      DotProductSample(6, 2, 3, 7), DotProductSample(4, 1, 9, 4)})
      for (const bool causal : {false, true})
        for (const bool masked : {false, true}) {
          const std::size_t keys = s.k.shape()[2];
          const Mask valid = masked ? random_mask({2, keys}, "valid") : Mask{};
          expect_same_dot_product(*device, s, valid, {.causal = causal});
          expect_same_dot_product(*device, s, valid, {.scale = 0.3, .causal = causal});
          expect_same_dot_product(*device, s, valid, {.causal = causal, .window_left = 2});
          expect_same_dot_product(*device, s, valid, {.causal = causal, .soft_cap = 0.75});
          expect_same_dot_product(*device, s, valid, {.causal = causal}, true);
          expect_same_dot_product(*device, s, valid,
                                  {.log_sum_exp_base = ref::model::LogSumExpBase::two});
          expect_same_dot_product(*device, s, valid, {.window_left = 1, .soft_cap = 0.75}, true);
          expect_same_dot_product(*device, s, valid,
                                  {.causal = causal,
                                   .mask_corner = ref::model::MaskCorner::top_left,
                                   .window_right = 1});
        }
}

TEST(DeviceDotProductAttention, MatchesReferenceBitsWithABiasOfEveryBroadcastShape) {
  for (const auto& device : make_simulated_devices())
    for (const std::size_t samples : {1, 2})
      for (const std::size_t heads : {1, 6})
        for (const bool with_sinks : {false, true}) {
          const ref::tensor::Shape bias{samples, heads, 3, 7};
          const DotProductSample s(6, 2, 3, 7);
          expect_same_dot_product(*device, s, {}, {}, with_sinks, bias);
          expect_same_dot_product(*device, s, random_mask({2, 7}, "valid"),
                                  {.causal = true, .soft_cap = 0.75}, with_sinks, bias);
        }
}

TEST(DeviceDotProductAttention, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect = [&](const DotProductSample& s, const Mask& valid) {
    const std::string sentence =
        refusal_message([&] { ref::nn::scaled_dot_product_attention(s.q, s.k, s.v, valid, {}); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal_message([&] {
                scaled_dot_product_attention(upload(*device, s.q), upload(*device, s.k),
                                             upload(*device, s.v), DeviceMask(*device, valid));
              }),
              sentence);
  };
  const DotProductSample valid_sample(4, 2, 3, 5);
  expect(valid_sample, Mask{{true, false}});
  DotProductSample bad = valid_sample;
  bad.v.data()[3] = std::numeric_limits<double>::quiet_NaN();
  expect(bad, {});
  bad = valid_sample;
  for (double& q : bad.q) q = 1e200;
  for (std::size_t i = 50; i < bad.k.size(); ++i) bad.k.data()[i] = 1e200;
  expect(bad, {});
  bad = valid_sample;
  bad.k = random_normal_tensor({2, 3, 5, 3}, "k");
  expect(bad, {});
}

TEST(DeviceDotProductAttention, ErrorMessagesOfTheBackwardMatchTheReference) {
  const auto device = device::simulated_device();
  DotProductSample s(4, 2, 3, 5);
  const auto forward = ref::nn::scaled_dot_product_attention(s.q, s.k, s.v);
  const auto k = upload(*device, s.k), v = upload(*device, s.v);
  const auto got = scaled_dot_product_attention(upload(*device, s.q), k, v);
  for (double& gradient : s.grad_y) gradient = 1e308;
  for (double& value : s.v) value = 1e10;
  const std::string sentence = refusal_message([&] {
    ref::nn::scaled_dot_product_attention_backward(s.grad_y, s.k, s.v, {}, forward.saved);
  });
  EXPECT_NE(sentence.find("attention in sample 0, heads 0 to 1"), std::string::npos) << sentence;
  EXPECT_EQ(refusal_message([&] {
              scaled_dot_product_attention_backward(upload(*device, s.grad_y), k,
                                                    upload(*device, s.v), {}, got);
            }),
            sentence);
}

TEST(DeviceDotProductAttention, ErrorMessagesWithSinksMatchTheReference) {
  const auto device = device::simulated_device();
  DotProductSample s(4, 2, 3, 5);
  const auto expect_same_message = [&] {
    const std::string sentence = refusal_message(
        [&] { ref::nn::scaled_dot_product_attention(s.q, s.k, s.v, {}, {}, {.sinks = s.sinks}); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal_message([&] {
                scaled_dot_product_attention(upload(*device, s.q), upload(*device, s.k),
                                             upload(*device, s.v), {}, {}, ops::ordered_products(),
                                             {.sinks = upload(*device, s.sinks)});
              }),
              sentence);
  };
  const auto right = s.sinks;
  s.sinks = random_normal_tensor({2}, "sinks");
  expect_same_message();
  s.sinks = right;
  s.sinks.data()[3] = std::numeric_limits<double>::quiet_NaN();
  expect_same_message();
  s.sinks = right;
  for (double& q : s.q) q = 1e200;
  for (std::size_t i = 50; i < s.k.size(); ++i) s.k.data()[i] = 1e200;
  expect_same_message();
}

}  // namespace
}  // namespace normproof::gpu::nn
