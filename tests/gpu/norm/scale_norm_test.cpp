#include "gpu/norm/scale_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceScaleNorm, MatchesReferenceBits) {
  expect_bits_on_samples(ref::model::ScaleNormOptions{});
}

TEST(DeviceScaleNorm, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::ScaleNormOptions{});
}

TEST(DeviceScaleNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::ScaleNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
