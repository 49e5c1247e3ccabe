#include "gpu/norm/power_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DevicePowerNorm, MatchesReferenceBitsBeforeAndAfterWarmUp) {
  expect_bits_on_samples(ref::model::PowerNormOptions{});
  expect_bits_on_samples(ref::model::PowerNormOptions{.warmup_iterations = 2});
}

TEST(DevicePowerNorm, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::PowerNormOptions{});
}

TEST(DevicePowerNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::PowerNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
