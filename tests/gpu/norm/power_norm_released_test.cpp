#include "gpu/norm/power_norm_released.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

TEST(DevicePowerNormReleased, MatchesReferenceBitsWithEachSwitchOff) {
  const ref::model::PowerNormReleasedOptions released{.warmup_iterations = 2, .groups = 3};
  expect_reference_bits_for_samples(released);
  for (const auto field : {&ref::model::PowerNormReleasedOptions::group_scaling,
                           &ref::model::PowerNormReleasedOptions::divide_by_batch_psi,
                           &ref::model::PowerNormReleasedOptions::cumulative_warmup_average,
                           &ref::model::PowerNormReleasedOptions::pads_in_backward,
                           &ref::model::PowerNormReleasedOptions::scaled_nu}) {
    auto options = released;
    options.*field = false;
    expect_reference_bits_for_samples(options);
  }
}

TEST(DevicePowerNormReleased, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::PowerNormReleasedOptions{.groups = 3});
}

TEST(DevicePowerNormReleased, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::PowerNormReleasedOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
