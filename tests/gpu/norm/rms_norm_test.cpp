#include "gpu/norm/rms_norm.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/norm/against_ref.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::CastOrder;
using ref::model::StorageFormat;

TEST(DeviceRMSNorm, MatchesReferenceBits) {
  expect_reference_bits_for_samples(ref::model::RMSNormOptions{});
}

TEST(DeviceRMSNorm, MatchesReferenceBitsForEveryStorageFormatAndCastOrder) {
  for (const auto storage :
       {StorageFormat::float32, StorageFormat::bfloat16, StorageFormat::float16})
    for (const auto order : {CastOrder::after_gamma, CastOrder::before_gamma})
      expect_reference_bits_for_samples(
          ref::model::RMSNormOptions{.cast_order = order, .storage = storage});
}

TEST(DeviceRMSNorm, MatchesReferenceBeyond65535Rows) {
  expect_reference_bits_beyond_65535_rows(ref::model::RMSNormOptions{});
}

TEST(DeviceRMSNorm, RejectsTheInputsThatTheReferenceRejects) {
  expect_same_rejections_as_reference(ref::model::RMSNormOptions{});
}

}  // namespace
}  // namespace normproof::gpu::norm
