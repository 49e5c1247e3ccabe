#include "gpu/nn/rotary_embedding.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/nn/rotary_embedding.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;

TEST(DeviceRotaryEmbedding, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const bool interleaved : {false, true})
      for (const std::size_t width : {2, 6, 9}) {
        const auto x = random_normal_tensor({2, 3, 5, width}, "x");
        const auto cos = random_normal_tensor({5, width / 2}, "cos");
        const auto sin = random_normal_tensor({5, width / 2}, "sin");
        const ref::model::RopeOptions options{.interleaved = interleaved};
        const auto c = upload(*device, cos), s = upload(*device, sin);
        EXPECT_BITS_EQ(download(rotary_embedding(upload(*device, x), c, s, options)),
                       ref::nn::rotary_embedding(x, cos, sin, options));
        EXPECT_BITS_EQ(download(rotary_embedding_backward(upload(*device, x), c, s, options)),
                       ref::nn::rotary_embedding_backward(x, cos, sin, options));
      }
}

TEST(DeviceRotaryEmbedding, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto expect = [&](const auto& x, const auto& cos, const auto& sin) {
    const std::string sentence = refusal_message([&] { ref::nn::rotary_embedding(x, cos, sin); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal_message([&] {
                rotary_embedding(upload(*device, x), upload(*device, cos), upload(*device, sin));
              }),
              sentence);
  };
  auto x = random_normal_tensor({2, 4}, "x");
  const auto table = random_normal_tensor({2, 2}, "cos");
  expect(random_normal_tensor({4}, "x"), table, table);
  expect(x, random_normal_tensor({2, 3}, "cos"), table);
  expect(x, table, random_normal_tensor({2, 1}, "sin"));
  x.data()[3] = std::numeric_limits<double>::quiet_NaN();
  expect(x, table, table);
}

}  // namespace
}  // namespace normproof::gpu::nn
