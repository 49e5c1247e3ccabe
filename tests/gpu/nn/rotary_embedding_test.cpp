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
  for (const auto& device : devices())
    for (const bool interleaved : {false, true})
      for (const std::size_t width : {2, 6, 9}) {
        const auto x = plain_sample({2, 3, 5, width}, "x");
        const auto cos = plain_sample({5, width / 2}, "cos");
        const auto sin = plain_sample({5, width / 2}, "sin");
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
    const std::string sentence = refusal([&] { ref::nn::rotary_embedding(x, cos, sin); });
    EXPECT_NE(sentence, "");
    EXPECT_EQ(refusal([&] {
                rotary_embedding(upload(*device, x), upload(*device, cos), upload(*device, sin));
              }),
              sentence);
  };
  auto x = plain_sample({2, 4}, "x");
  const auto table = plain_sample({2, 2}, "cos");
  expect(plain_sample({4}, "x"), table, table);
  expect(x, plain_sample({2, 3}, "cos"), table);
  expect(x, table, plain_sample({2, 1}, "sin"));
  x.data()[3] = std::numeric_limits<double>::quiet_NaN();
  expect(x, table, table);
}

}  // namespace
}  // namespace normproof::gpu::nn
