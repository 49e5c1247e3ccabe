#include "gpu/norm/batch_renorm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceBatchRenorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::BatchRenormOptions{});
  expect_reference_bits_for_samples(ref::model::BatchRenormOptions{.r_max = 1, .d_max = 0});
  expect_reference_bits_for_samples(ref::model::BatchRenormOptions{.r_max = 1e9, .d_max = 1e9});
}

TEST(DeviceBatchRenorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::BatchRenormOptions{});
}

TEST(DeviceBatchRenorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::BatchRenormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
