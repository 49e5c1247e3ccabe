#include "gpu/nn/feed_forward.hpp"

#include <gtest/gtest.h>

#include "ref/nn/feed_forward.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;
using ref::model::Activation;

void expect_same_feed_forward(Device& device, Activation activation, double rate) {
  const ref::nn::FeedForward<double> map{sample_linear(9, 4, "first"),
                                         sample_linear(4, 9, "second")};
  const FeedForward there{on_device(device, map.first), on_device(device, map.second)};
  const auto x = random_normal_tensor({2, 5, 4}, "x"),
             grad_y = random_normal_tensor({2, 5, 4}, "grad_y");
  const ref::nn::FeedForwardOptions options{
      .activation = activation, .dropout = rate, .key = {.seed = 1, .step = 2, .place = "p"}};
  const FeedForwardOptions device_options{activation, rate, {1, 2, "p"}};
  const auto forward = ref::nn::feed_forward(x, map, options);
  const auto got = feed_forward(upload(device, x), there, device_options);
  EXPECT_BITS_EQ(download(got.y), forward.y);
  const auto backward = ref::nn::feed_forward_backward(grad_y, x, map, forward.saved, options);
  const auto got_backward =
      feed_forward_backward(upload(device, grad_y), upload(device, x), there, got, device_options);
  EXPECT_BITS_EQ(download(got_backward.grad_x), backward.grad_x);
  EXPECT_BITS_EQ(download(got_backward.parameters.first.weight), backward.parameters.first.weight);
  EXPECT_BITS_EQ(download(got_backward.parameters.second.bias), backward.parameters.second.bias);
}

TEST(DeviceFeedForward, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh})
      for (const double rate : {0.0, 0.3}) expect_same_feed_forward(*device, activation, rate);
}

}  // namespace
}  // namespace normproof::gpu::nn
