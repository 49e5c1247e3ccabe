#include "gpu/nn/cross_attention.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/nn/cross_attention.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;
using ref::tensor::Mask;
using Tensor = ref::tensor::Tensor<double>;

const ref::nn::CrossAttention<double> kCross{
    sample_linear(6, 6, "query"), sample_linear(12, 6, "memory"), sample_linear(6, 6, "out")};

CrossAttention upload_cross_attention(Device& device, const ref::nn::CrossAttention<double>& maps) {
  return {on_device(device, maps.query), on_device(device, maps.memory),
          on_device(device, maps.out)};
}

void expect_same_linear(const Linear& got, const ref::nn::Linear<double>& expected) {
  EXPECT_BITS_EQ(download(got.weight), expected.weight);
  EXPECT_BITS_EQ(download(got.bias), expected.bias);
}

/// Expects cross-attention with t queries and s keys, forward and backward, to have the bits of the
/// reference.
void expect_same_cross_attention(Device& device, std::size_t t, std::size_t s, const Mask& valid,
                                 std::size_t num_heads, double rate) {
  const CrossAttention there = upload_cross_attention(device, kCross);
  const Tensor x = random_normal_tensor({2, t, 6}, "x"),
               memory = random_normal_tensor({2, s, 6}, "m");
  const Tensor grad_y = random_normal_tensor({2, t, 6}, "grad_y");
  const ref::nn::AttentionOptions options{
      .num_heads = num_heads, .dropout = rate, .key = {.seed = 1, .step = 2, .place = "p"}};
  const AttentionOptions device_options{num_heads, rate, {1, 2, "p"}};
  const DeviceMask mask(device, valid);
  const auto x_there = upload(device, x), memory_there = upload(device, memory);
  const auto forward = ref::nn::cross_attention(x, memory, kCross, valid, options);
  const auto got = cross_attention(x_there, memory_there, there, mask, device_options);
  EXPECT_BITS_EQ(download(got.y), forward.y);
  EXPECT_BITS_EQ(download(got.weights), forward.saved.weights);
  const auto backward =
      ref::nn::cross_attention_backward(grad_y, x, memory, kCross, valid, forward.saved, options);
  const auto got_backward = cross_attention_backward(upload(device, grad_y), x_there, memory_there,
                                                     there, mask, got, device_options);
  EXPECT_BITS_EQ(download(got_backward.grad_x), backward.grad_x);
  EXPECT_BITS_EQ(download(got_backward.grad_memory), backward.grad_memory);
  expect_same_linear(got_backward.parameters.query, backward.parameters.query);
  expect_same_linear(got_backward.parameters.memory, backward.parameters.memory);
  expect_same_linear(got_backward.parameters.out, backward.parameters.out);
}

TEST(DeviceCrossAttention, MatchesReferenceBitsForAnyNumberOfQueriesAndKeys) {
  for (const auto& device : make_simulated_devices())
    for (const auto& [t, s] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {4, 33}, {5, 5}})
      for (const std::size_t num_heads : {1, 3})
        for (const Mask& valid : {Mask{}, random_mask({2, s}, "valid")})
          for (const double rate : {0.0, 0.3})
            expect_same_cross_attention(*device, t, s, valid, num_heads, rate);
}

TEST(DeviceCrossAttention, MatchesReferenceForASourceThatIsOnlyPadding) {
  const auto device = device::simulated_device(3);
  Mask valid = ref::tensor::full_tensor<bool>({2, 4}, true);
  for (std::size_t i = 4; i < 8; ++i) valid.data()[i] = false;
  expect_same_cross_attention(*device, 3, 4, valid, 2, 0);
  expect_same_cross_attention(*device, 3, 4, ref::tensor::full_tensor<bool>({2, 4}, false), 2, 0.3);
}

TEST(DeviceCrossAttention, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect_same = [&](const Tensor& x, const Tensor& memory, const Mask& valid,
                               ref::nn::AttentionOptions options,
                               const ref::nn::CrossAttention<double>& maps = kCross) {
    const std::string expected =
        refusal_message([&] { ref::nn::cross_attention(x, memory, maps, valid, options); });
    EXPECT_NE(expected, kNoError);
    AttentionOptions device_options{options.num_heads, options.dropout, {}};
    device_options.causal = options.causal;
    EXPECT_EQ(refusal_message([&] {
                cross_attention(upload(*device, x), upload(*device, memory),
                                upload_cross_attention(*device, maps), DeviceMask(*device, valid),
                                device_options);
              }),
              expected);
  };
  const Tensor x = random_normal_tensor({2, 7, 6}, "x"),
               memory = random_normal_tensor({2, 3, 6}, "m");
  expect_same(x, memory, {}, {.num_heads = 4});
  expect_same(x, memory, {}, {.num_heads = 2, .causal = true});
  expect_same(x, memory, random_mask({2, 7}, "valid"), {.num_heads = 2});
  expect_same(x, random_normal_tensor({3, 3, 6}, "m"), {}, {.num_heads = 2});
  expect_same(x, random_normal_tensor({2, 3, 5}, "m"), {}, {.num_heads = 2});
  expect_same(random_normal_tensor({7, 6}, "x"), memory, {}, {.num_heads = 2});
  expect_same(x, memory, {}, {.num_heads = 2, .dropout = 1});
  ref::nn::CrossAttention<double> maps = kCross;
  maps.memory = sample_linear(6, 6, "memory");
  expect_same(x, memory, {}, {.num_heads = 2}, maps);
  Tensor planted = memory;
  planted.data()[3 * 6 + 2] = std::numeric_limits<double>::infinity();
  expect_same(x, planted, {}, {.num_heads = 2});
}

}  // namespace
}  // namespace normproof::gpu::nn
