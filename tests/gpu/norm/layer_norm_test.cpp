#include "gpu/norm/layer_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceLayerNorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::LayerNormOptions{});
  expect_reference_bits_for_samples(ref::model::LayerNormOptions{.eps = 0x1p-40});
}

TEST(DeviceLayerNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::LayerNormOptions{});
}

TEST(DeviceLayerNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::LayerNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
