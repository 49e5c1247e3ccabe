#include "gpu/norm/instance_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceInstanceNorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::InstanceNormOptions{});
}

TEST(DeviceInstanceNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::InstanceNormOptions{});
}

TEST(DeviceInstanceNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::InstanceNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
