#include "gpu/train/gradient_norm.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ref/train/gradient_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::download;
using device::upload;

ref::train::Gradients<double> sample_gradients() {
  ref::train::Gradients<double> gradients;
  gradients.dense.set("a", random_wide_range_tensor({3, 100}, "a"));
  gradients.dense.set("b", random_wide_range_tensor({1}, "b"));
  gradients.rows.push_back({"e", {{1, 4}, random_wide_range_tensor({2, 50}, "e")}});
  return gradients;
}
Gradients on_device(Device& device, const ref::train::Gradients<double>& gradients) {
  Gradients result;
  for (const auto& [name, values] : gradients.dense) result.dense.set(name, upload(device, values));
  for (const auto& [name, rows] : gradients.rows)
    result.rows.push_back({name, {rows.rows, upload(device, rows.values)}});
  return result;
}

TEST(DeviceGradientNorm, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const std::optional<double> limit : {std::optional<double>{}, {1e-3}, {1e9}}) {
      auto expected = sample_gradients();
      Gradients got = on_device(*device, expected);
      const auto norms = ref::train::clip_gradients(expected, limit);
      const GradientNorms got_norms = clip_gradients(got, limit);
      EXPECT_BITS_EQ(got_norms.whole, norms.whole);
      EXPECT_EQ(got_norms.per_tensor, norms.per_tensor);
      for (const auto& [name, values] : expected.dense)
        EXPECT_BITS_EQ(download(got.dense.at(name)), values);
      EXPECT_BITS_EQ(download(got.rows[0].second.values), expected.rows[0].second.values);
    }
}

TEST(DeviceGradientNorm, MatchesReferenceForTensorsOfManySizes) {
  for (const auto& device : make_simulated_devices()) {
    ref::train::Gradients<double> expected;
    for (const std::size_t size : {1, 31, 33, 255, 2815, 2816, 2817, 5632, 12345}) {
      const std::string name = std::to_string(size);
      expected.dense.set(name, random_wide_range_tensor({size}, name));
    }
    const GradientNorms got = gradient_norms(on_device(*device, expected));
    EXPECT_EQ(got.per_tensor, ref::train::gradient_norms(expected).per_tensor);
  }
  EXPECT_EQ(gradient_norms(Gradients()).whole, 0);
}

TEST(DeviceGradientNorm, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  auto gradients = sample_gradients();
  gradients.dense.at("b").data()[0] = 1e200;
  Gradients got = on_device(*device, gradients);
  EXPECT_EQ(refusal_message([&] { gradient_norms(got); }),
            refusal_message([&] { ref::train::gradient_norms(gradients); }));
  EXPECT_EQ(refusal_message([&] { clip_gradients(got, 0.0); }),
            refusal_message([&] { ref::train::clip_gradients(gradients, 0.0); }));
}

}  // namespace
}  // namespace normproof::gpu::train
