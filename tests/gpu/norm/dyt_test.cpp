#include "gpu/norm/dyt.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/device/samples.hpp"
#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DeviceDyT, MatchesReferenceBits) {
  expect_bits_on_samples(ref::model::DyTOptions{});
}

TEST(DeviceDyT, MatchesReferenceBeyond65535Rows) {
  expect_bits_past_65535_rows(ref::model::DyTOptions{});
}

TEST(DeviceDyT, RejectsTheInputsThatTheReferenceRejects) {
  expect_refusals_of_ref(ref::model::DyTOptions{});
}

TEST(DeviceDyT, RejectsAlphaOfWrongShape) {
  RefInputs in{.x = sample({3, 4}, "x"), .grad_y = sample({3, 4}, "grad_y")};
  in.others.set("alpha", sample({2}, "alpha"));
  expect_bits_of_ref(ref::model::DyTOptions{}, in);
}

}  // namespace
}  // namespace normproof::gpu::norm
