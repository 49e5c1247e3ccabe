#include "verification/golden/certify/enclosed_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/radius_of_sums.hpp"
#include "verification/golden/certify/norm_sums.hpp"

namespace normproof::verification::golden::certify {
namespace {

TEST(EnclosedSumsOverRows, ContainTheExactSums) {
  for (const DType dtype : {DType::float64, DType::bfloat16})
    for (const char* op : {"layer_norm", "rms_norm", "dyt", "scale_norm", "add_layer_norm"}) {
      const Case c = plain_recipe(op, {40, 6}, dtype).make(1);
      const EnclosedSums sums = enclose_sums_over_rows(c, RowBlocks(c, 60), 3);
      EXPECT_EQ(sums.tensors, enclose_sums_over_rows(c, RowBlocks(c, 60), 1).tensors) << op;
      ASSERT_GT(sums.radius.size(), 0u) << op;
      const bool is_norm_sum =
          has_norm_sums(c, ref::numeric::arithmetic_of_type(ref::numeric::FloatType::float64));
      const StoredCase enclosed{.description = {}, .expected = sums.tensors};
      const StoredCase certified{.description = {}, .expected = certify(c).tensors};
      for (const auto& [name, radius] : sums.radius) {
        EXPECT_EQ(find(sums.tensors, name)->dtype, dtype) << op;
        const ExactValues found = exact_values(enclosed, name);
        const ExactValues exact = exact_values(certified, name);
        const std::vector<double> largest_radius =
            is_norm_sum ? largest_radius_of_norm_sum(c, name) : largest_radius_of_sum(c, name);
        for (std::size_t i = 0; i < radius.size(); ++i) {
          const double error = (found.high[i] - exact.high[i]) + (found.low[i] - exact.low[i]);
          EXPECT_LE(std::fabs(error), radius.data()[i]) << op << " " << name << " " << i;
          EXPECT_LE(radius.data()[i], largest_radius[i]) << op << " " << name << " " << i;
        }
      }
    }
}

TEST(EnclosedSumsOverRows, AreNaNIfATermIs) {
  const Case c = plain_recipe("rms_norm", {40, 6})
                     .x([](std::size_t i, double v) { return i == 100 ? kGoldenNaN : v; })
                     .make(1);
  const EnclosedSums sums = enclose_sums_over_rows(c, RowBlocks(c, 60), 2);
  for (const double value : ref::io::widen(*find(sums.tensors, "grad_gamma")))
    EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
