#include "gpu/norm/dyt.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/device/samples.hpp"
#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceDyT, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::DyTOptions{});
}

TEST(DeviceDyT, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::DyTOptions{});
}

TEST(DeviceDyT, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::DyTOptions{});
}

TEST(DeviceDyT, RejectsAlphaOfWrongShape) {
  RefInputs in{.x = random_wide_range_tensor({3, 4}, "x"),
               .grad_y = random_wide_range_tensor({3, 4}, "grad_y")};
  in.others.set("alpha", random_wide_range_tensor({2}, "alpha"));
  expect_reference_bits(ref::model::DyTOptions{}, in);
}

}  // namespace
}  // namespace normproof::gpu::norm
