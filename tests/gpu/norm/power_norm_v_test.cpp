#include "gpu/norm/power_norm_v.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DevicePowerNormV, MatchesReferenceBits) {
  expect_bits_on_samples(ref::model::PowerNormVOptions{});
}

TEST(DevicePowerNormV, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::PowerNormVOptions{});
}

TEST(DevicePowerNormV, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::PowerNormVOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
