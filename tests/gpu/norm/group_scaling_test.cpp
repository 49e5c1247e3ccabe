#include "gpu/norm/group_scaling.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceGroupScaling, MatchesReferenceBits) {
  for (const int groups : {1, 3, 6, 4})
    expect_reference_bits_for_samples(ref::model::GroupScalingOptions{.groups = groups});
}

TEST(DeviceGroupScaling, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::GroupScalingOptions{});
}

TEST(DeviceGroupScaling, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::GroupScalingOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
