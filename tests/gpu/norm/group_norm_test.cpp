#include "gpu/norm/group_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceGroupNorm, MatchesReferenceBits) {
  for (const int groups : {1, 3, 6, 4})
    expect_reference_bits_for_samples(ref::model::GroupNormOptions{.groups = groups});
}

TEST(DeviceGroupNorm, RejectsSentenceWithoutValidTokens) {
  RefInputs in{.x = {{{1, 2}, {0, 1}}, {{3, 4}, {1, 1}}},
               .grad_y = {{{1, 2}, {3, 4}}, {{3, 4}, {5, 6}}}};
  in.valid = {{true, false}, {false, false}};
  expect_reference_bits(ref::model::GroupNormOptions{}, in);
}

TEST(DeviceGroupNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::GroupNormOptions{});
}

TEST(DeviceGroupNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::GroupNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
