#include "gpu/norm/group_scaling.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceGroupScaling, MatchesReferenceBits) {
  for (const int groups : {1, 3, 6, 4})
    expect_bits_on_samples(ref::model::GroupScalingOptions{.groups = groups});
}

TEST(DeviceGroupScaling, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::GroupScalingOptions{});
}

TEST(DeviceGroupScaling, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::GroupScalingOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
