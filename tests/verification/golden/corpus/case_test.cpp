#include "verification/golden/corpus/case.hpp"

#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::corpus {
namespace {

using recipes::Recipe;

TEST(GoldenCase, PathHoldsTierLayerRegimeShapeAndDtype) {
  const Case c = Recipe(Tier::full, "power_norm", "odd_1e4", {2, 3, 5}, DType::bfloat16).make(1);
  EXPECT_EQ(case_operation_name(c), "power_norm");
  EXPECT_EQ(case_folder(c), "full/power_norm/odd_1e4-2x3x5-bfloat16");
  const Case steps =
      Recipe(Tier::quick, "batch_norm", "r", {4, 5}, DType::float64).steps(3).make(1);
  EXPECT_EQ(case_folder(steps), "quick/batch_norm/r-3x4x5-float64");
}

TEST(GoldenCase, FindsTiersByName) {
  for (const Tier tier : {Tier::quick, Tier::standard, Tier::full})
    EXPECT_EQ(parse_tier(to_string(tier)), tier);
  EXPECT_EQ(usage_error_message([] { parse_tier("quik"); }),
            "unknown tier 'quik'; did you mean 'quick'? known: quick, standard, full");
}

TEST(GoldenCase, FindsTensorsByName) {
  const std::vector<StoredTensor> tensors = {make_stored_tensor("a", DType::float64, {1}, {1}),
                                             make_stored_tensor("b", DType::float64, {1}, {2})};
  EXPECT_EQ(find(tensors, "b"), &tensors[1]);
  EXPECT_EQ(find(tensors, "c"), nullptr);
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
