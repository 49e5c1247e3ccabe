#include "gpu/norm/batch_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceBatchNorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::BatchNormOptions{});
  expect_reference_bits_for_samples(
      ref::model::BatchNormOptions{.unbiased_running_variance = false});
}

TEST(DeviceBatchNorm, RejectsFewerThanTwoValidRows) {
  RefInputs in{.x = {{1, 2}, {3, 4}}, .grad_y = {{1, 2}, {3, 4}}, .valid = {false, false}};
  expect_reference_bits(ref::model::BatchNormOptions{}, in);
  in.valid = {false, true};
  expect_reference_bits(ref::model::BatchNormOptions{}, in);
}

TEST(DeviceBatchNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::BatchNormOptions{});
}

TEST(DeviceBatchNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::BatchNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
