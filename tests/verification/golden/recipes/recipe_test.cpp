#include "verification/golden/recipes/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::find;
using corpus::Mode;
using corpus::StoredTensor;
using corpus::Tier;

namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> enum_names(const Case& c) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : c.inputs) names.push_back(tensor.name);
  return names;
}

TEST(CaseRecipe, OrdersTheInputsOfTheLayer) {
  EXPECT_THAT(enum_names(plain_recipe("layer_norm", {2, 3}).make(1)),
              ElementsAre("beta", "gamma", "grad_y", "x"));
  EXPECT_THAT(enum_names(plain_recipe("layer_norm", {2, 3}).no_affine().make(1)),
              ElementsAre("grad_y", "x"));
  EXPECT_THAT(enum_names(plain_recipe("group_scaling", {2, 3}).make(1)),
              ElementsAre("grad_y", "x"));
  EXPECT_THAT(enum_names(plain_recipe("swiglu", {2, 3}).make(1)),
              ElementsAre("gate", "grad_y", "x"));
  const Case scale = plain_recipe("scale_norm", {2, 3}).make(1);
  EXPECT_THAT(enum_names(scale), ElementsAre("gamma", "grad_y", "x"));
  EXPECT_THAT(find(scale.inputs, "gamma")->shape, ElementsAre(1u));
  EXPECT_THAT(
      enum_names(
          plain_recipe("batch_norm", {2, 3}).pads([](std::size_t) { return false; }).make(1)),
      ElementsAre("beta", "gamma", "grad_y", "running_mean", "running_variance", "valid", "x"));
}

TEST(CaseRecipe, ParametersMayHaveAnotherDtype) {
  for (const char* operation : {"layer_norm", "dyt", "add_rms_norm"}) {
    const Case c = plain_recipe(operation, {2, 3}, DType::bfloat16)
                       .set_parameter_dtype(DType::float32)
                       .make(1);
    EXPECT_EQ(find(c.inputs, "gamma")->dtype, DType::float32) << operation;
    EXPECT_EQ(find(c.inputs, "x")->dtype, DType::bfloat16) << operation;
    // The parameters have digits that only float32 represents.
    for (const double gamma : find_tensor_values(c.inputs, "gamma"))
      EXPECT_NE(round_to_dtype(DType::bfloat16, gamma), gamma) << operation;
  }
}

TEST(CaseRecipe, ParametersDifferFromTheirNeutralValues) {
  const Case c = plain_recipe("power_norm", {4, 64}).make(1);
  EXPECT_THAT(find_tensor_values(c.inputs, "gamma"), Each(Not(1.0)));
  EXPECT_THAT(find_tensor_values(c.inputs, "beta"), Each(Not(0.0)));
  EXPECT_THAT(find_tensor_values(c.inputs, "nu"), Each(Not(0.0)));
  EXPECT_THAT(find_tensor_values(c.inputs, "running_psi2"), Each(testing::Ge(0.5)));
  EXPECT_THAT(find_tensor_values(c.inputs, "iterations"), ElementsAre(2.0));
  EXPECT_EQ(find(c.inputs, "iterations")->dtype, DType::int64);
}

TEST(CaseRecipe, NumbersAreTheSameForEveryDtypeUpToRounding) {
  const std::vector<double> wide =
      find_tensor_values(plain_recipe("layer_norm", {3, 5}).make(1).inputs, "x");
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    std::vector<double> rounded;
    for (const double value : wide) rounded.push_back(round_to_dtype(dtype, value));
    EXPECT_EQ(find_tensor_values(plain_recipe("layer_norm", {3, 5}, dtype).make(1).inputs, "x"),
              rounded);
  }
}

TEST(CaseRecipe, StateOf16BitCasesIsFloat32) {
  const Case c = plain_recipe("batch_norm", {3, 5}, DType::float16).make(1);
  EXPECT_EQ(find(c.inputs, "running_mean")->dtype, DType::float32);
  EXPECT_EQ(find(c.inputs, "gamma")->dtype, DType::float16);
}

TEST(CaseRecipe, DependsOnlyOnThePathAndTheSeed) {
  const Recipe recipe = plain_recipe("batch_norm", {3, 5});
  EXPECT_EQ(recipe.make(1).inputs, recipe.make(1).inputs);
  EXPECT_NE(recipe.make(1).inputs, recipe.make(2).inputs);
  EXPECT_NE(
      find_tensor_values(recipe.make(1).inputs, "x"),
      find_tensor_values(
          Recipe(Tier::quick, "batch_norm", "other", {3, 5}, DType::float64).make(1).inputs, "x"));
  EXPECT_NE(find_tensor_values(recipe.make(1).inputs, "x"),
            find_tensor_values(recipe.make(1).inputs, "grad_y"));
}

TEST(CaseRecipe, ElementIndexRunsThroughAllStepsInCOrder) {
  const auto index = [](std::size_t i, double) { return static_cast<double>(i); };
  const Case c = plain_recipe("batch_norm", {2, 3})
                     .steps(2)
                     .x(index)
                     .grad_y(index)
                     .parameter("gamma", index)
                     .parameter("beta", index)
                     .state("running_mean", index)
                     .pads([](std::size_t row) { return row == 3; })
                     .make(1);
  EXPECT_TRUE(c.sequence);
  EXPECT_THAT(find(c.inputs, "x")->shape, ElementsAre(2u, 2u, 3u));
  EXPECT_EQ(find_tensor_values(c.inputs, "x")[11], 11);
  EXPECT_EQ(find_tensor_values(c.inputs, "grad_y")[11], 11);
  EXPECT_THAT(find_tensor_values(c.inputs, "gamma"), ElementsAre(0, 1, 2));
  EXPECT_THAT(find_tensor_values(c.inputs, "beta"), ElementsAre(0, 1, 2));
  EXPECT_THAT(find_tensor_values(c.inputs, "running_mean"), ElementsAre(0, 1, 2));
  EXPECT_THAT(find(c.inputs, "valid")->shape, ElementsAre(2u, 2u));
  EXPECT_THAT(find_tensor_values(c.inputs, "valid"), ElementsAre(1, 1, 1, 0));
}

TEST(CaseRecipe, OptionsModeAndReasonCanBeSet) {
  const Case c = plain_recipe("rms_norm", {2, 3}).option("eps", "0.5").inference().exact().make(1);
  EXPECT_EQ(std::get<ref::model::RMSNormOptions>(std::get<ref::model::NormOptions>(c.options)).eps,
            0.5);
  EXPECT_EQ(c.mode, Mode::inference);
  EXPECT_TRUE(c.exact);
  EXPECT_FALSE(c.sequence);
  EXPECT_EQ(c.reason, "sample");
  EXPECT_EQ(c.why, "a test's own");
  EXPECT_THAT(usage_error_message([] {
                plain_recipe("rms_norm", {2, 3}).option("esp", "1");
              }),
              HasSubstr("did you mean 'eps'?"));
  EXPECT_THAT(usage_error_message([] {
                plain_recipe("rms_nrm", {2, 3});
              }),
              HasSubstr("'rms_norm'"));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
