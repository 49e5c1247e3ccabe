#include "verification/checks/agreement/float32_norms.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::checks::agreement {
namespace {

TEST(Float32NormAgreement, OneReportRowPerFormatCoversEverySample) {
  const auto device = gpu::device::simulated_device(2);
  Rows rows;
  compare_float32_norms(*device, 3, ref::numeric::FloatType::float16, rows);
  ASSERT_EQ(rows.all().size(), 1u);
  const Row& row = rows.last();
  EXPECT_EQ(row.operation, "float32_norm_float16");
  EXPECT_EQ(row.difference, "");
  EXPECT_EQ(row.cases, 28u);
  EXPECT_GT(row.elements, 1'000'000u);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
