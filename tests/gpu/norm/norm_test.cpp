#include "gpu/norm/norm.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace normproof::gpu::norm
