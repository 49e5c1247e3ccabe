#include "verification/checks/agreement/device_encoder.hpp"

#include <gtest/gtest.h>

#include "tests/verification/checks/compare/expect.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {
namespace {

// Expects a device to use the dropout masks that the layer's cases give. `place` is the name of a
// mask.
void expect_given_masks_used(const std::string& layer, const std::string& place) {
  const auto device = gpu::device::simulated_device(2);
  std::size_t masked = 0;
  for (const golden::corpus::Case& c : golden::recipes::corpus(golden::corpus::Tier::quick)) {
    if (golden::corpus::case_operation_name(c) != layer) continue;
    checks::evaluation::EncoderTensors inputs =
        golden::recipes::inputs_of(c, golden::corpus::case_folder(c)).encoder;
    if (inputs.masks.empty()) continue;
    const auto& operation = std::get<ref::model::EncoderOperation>(c.options);
    const auto y_of = [&] {
      return gpu::device::download(
          run_encoder_on_device(*device, operation, inputs, gpu::ops::ordered_products()).at("y"));
    };
    const auto expected = checks::evaluation::run_encoder<double>(operation, inputs).at("y");
    EXPECT_BITS_EQ(y_of(), expected);
    for (auto& [name, keep] : inputs.masks)
      for (bool& k : keep) k = !k;
    if (inputs.mode == ref::model::Mode::inference) continue;
    ++masked;
    EXPECT_NE(y_of(), expected);
    EXPECT_EQ(inputs.masks.erase(place), 1u);
    EXPECT_THROW(y_of(), ref::numeric::ContractError);
  }
  EXPECT_GT(masked, 0u);
}

TEST(DeviceEncoder, UsesGivenDropoutMasks) {
  expect_given_masks_used("encoder_layer", "attention.y");
  expect_given_masks_used("decoder_layer", "cross_attention.y");
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
