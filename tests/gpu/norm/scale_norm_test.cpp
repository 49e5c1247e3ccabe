#include "gpu/norm/scale_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceScaleNorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::ScaleNormOptions{});
}

TEST(DeviceScaleNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::ScaleNormOptions{});
}

TEST(DeviceScaleNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::ScaleNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
