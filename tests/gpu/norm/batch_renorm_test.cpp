#include "gpu/norm/batch_renorm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceBatchRenorm, MatchesReferenceBits) {
  expect_bits_on_samples(ref::model::BatchRenormOptions{});
  expect_bits_on_samples(ref::model::BatchRenormOptions{.r_max = 1, .d_max = 0});
  expect_bits_on_samples(ref::model::BatchRenormOptions{.r_max = 1e9, .d_max = 1e9});
}

TEST(DeviceBatchRenorm, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::BatchRenormOptions{});
}

TEST(DeviceBatchRenorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::BatchRenormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
