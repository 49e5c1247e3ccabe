#include "gpu/norm/norm.hpp"

#include <gtest/gtest.h>

#include "gpu/norm/batch_norm.hpp"
#include "gpu/norm/group_norm.hpp"
#include "gpu/norm/layer_norm.hpp"
#include "gpu/norm/rms_norm.hpp"
#include "ref/norm/layer_norm.hpp"
#include "ref/norm/rms_norm.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceNorm, MatchesReferenceBitsForEveryLayer) {
  RefInputs in{.x = {{1, 2}, {3, 5}, {-2, 4}}, .grad_y = {{1, 0}, {0, 1}, {2, 3}}};
  for (const auto& name : ref::model::norm_names())
    for (const auto mode : {ref::model::Mode::training, ref::model::Mode::inference}) {
      in.mode = mode;
      expect_reference_bits(ref::model::norm_options(name), in, 2);
    }
}

TEST(DeviceNorm, MatchesReferenceForZeroCenteredGammaAndChannelsLast) {
  const RefInputs in{.x = {{1, 2}, {3, 5}, {-2, 4}},
                     .gamma = {0.3, -1.7},
                     .beta = {0.1, 0.2},
                     .grad_y = {{1, 0}, {0, 1}, {2, 3}}};
  for (const char* layer : {"layer_norm", "rms_norm"}) {
    auto options = ref::model::norm_options(layer);
    ref::model::set_option(options, "zero_centred_gamma", "1");
    expect_reference_bits(options, in, 2);
  }
  expect_reference_bits(ref::model::BatchNormOptions{.layout = ref::model::Layout::channels_last},
                        in);
}

TEST(DeviceNorm, LayerNoneRejectsParameters) {
  expect_reference_bits(ref::model::NoneOptions{}, {.x = {{1, 2}}, .gamma = {1, 1}});
  expect_same_rejections_as_reference(ref::model::NoneOptions{});
}

TEST(DeviceNorm, FunctionsOfSingleLayersRejectOptionsThatTheyDoNotComputeWith) {
  const ref::tensor::Tensor<double> x = {{1, 2}, {3, 5}}, gamma = {0.3, -1.7};
  constexpr auto kLayout = ref::model::Layout::channels_last;
  for (const auto& device : make_simulated_devices()) {
    const NormInputs in{.x = device::upload(*device, x), .gamma = device::upload(*device, gamma)};
    NormStep step;
    EXPECT_EQ(refusal_message([&] { layer_norm({.zero_centred_gamma = true}, in, step); }),
              refusal_message([&] {
                ref::norm::layer_norm(x, {gamma, {}}, {.zero_centred_gamma = true});
              }));
    EXPECT_EQ(refusal_message([&] { rms_norm({.zero_centred_gamma = true}, in, step); }),
              refusal_message([&] {
                ref::norm::rms_norm(x, {gamma, {}}, {.zero_centred_gamma = true});
              }));
    EXPECT_EQ(refusal_message([&] { batch_norm({.layout = kLayout}, in, step); }),
              "batch_norm: layout is not rows; expected rows (C13)");
    EXPECT_EQ(refusal_message([&] { group_norm({.layout = kLayout}, in, step); }),
              "group_norm: layout is not rows; expected rows (C13)");
    EXPECT_EQ(refusal_message([&] { group_norm_backward({.layout = kLayout}, in, step, step); }),
              "group_norm: layout is not rows; expected rows (C13)");
  }
}

}  // namespace
}  // namespace normproof::gpu::norm
