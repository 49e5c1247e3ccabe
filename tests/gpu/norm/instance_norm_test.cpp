#include "gpu/norm/instance_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceInstanceNorm, MatchesReferenceBits) {
  expect_bits_on_samples(ref::model::InstanceNormOptions{});
}

TEST(DeviceInstanceNorm, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::InstanceNormOptions{});
}

TEST(DeviceInstanceNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::InstanceNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
