#include "gpu/norm/power_norm_v.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DevicePowerNormV, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::PowerNormVOptions{});
}

TEST(DevicePowerNormV, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::PowerNormVOptions{});
}

TEST(DevicePowerNormV, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::PowerNormVOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
