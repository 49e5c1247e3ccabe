#include "verification/golden/recipes/norm_recipe.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::Tier;

namespace {

std::map<std::string, std::string> find_recipe_options(const char* layer,
                                                       std::vector<std::size_t> shape) {
  const auto listed = ref::model::list_options(
      norm_recipe(Tier::quick, layer, "sample", std::move(shape), DType::float64)
          .why("a test's own")
          .make(1)
          .options);
  return {listed.begin(), listed.end()};
}

TEST(NormRecipe, GroupCountDividesTheFeaturesAndDiffersFromTheGroupWidth) {
  EXPECT_EQ(find_recipe_options("group_norm", {2, 5, 6})["groups"], "3");
  EXPECT_EQ(find_recipe_options("group_norm", {2, 5, 4})["groups"], "2");
  for (const std::size_t d_model : {1u, 2u, 3u, 5u})
    EXPECT_EQ(find_recipe_options("group_norm", {2, 5, d_model})["groups"], "1") << d_model;
}

TEST(NormRecipe, StartsAfterTheWarmUpAndUsesTheBiasedVarianceForOneRow) {
  EXPECT_EQ(find_recipe_options("power_norm", {4, 6})["warmup_iterations"], "0");
  EXPECT_EQ(find_recipe_options("batch_norm", {4, 6})["unbiased_running_variance"], "true");
  EXPECT_EQ(find_recipe_options("batch_norm", {1, 6})["unbiased_running_variance"], "false");
  EXPECT_FALSE(find_recipe_options("layer_norm", {4, 6}).contains("warmup_iterations"));
}

TEST(NormRecipe, RowsAreSamplesOrTokensOfOneSample) {
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(rows_by_features("layer_norm", 7, 16), (Shape{7, 16}));
  EXPECT_EQ(rows_by_features("instance_norm", 7, 16), (Shape{1, 7, 16}));
  EXPECT_EQ(offset_by(100)(3, 0.5), 100.5);
  EXPECT_EQ(scaled_by(-2)(3, 0.5), -1);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
