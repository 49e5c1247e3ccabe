#include "gpu/norm/power_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DevicePowerNorm, MatchesReferenceBitsBeforeAndAfterWarmUp) {
  expect_reference_bits_for_samples(ref::model::PowerNormOptions{});
  expect_reference_bits_for_samples(ref::model::PowerNormOptions{.warmup_iterations = 2});
}

TEST(DevicePowerNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::PowerNormOptions{});
}

TEST(DevicePowerNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::PowerNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
