#include "verification/golden/recipes/coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/golden/recipes/attention_corpus.hpp"
#include "verification/golden/recipes/cross_entropy_corpus.hpp"
#include "verification/golden/recipes/encoder_recipe.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"
#include "verification/golden/recipes/transformer_corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(CorpusCoverage, HasOptionsInputsExtentsAndMagnitudesOfALayer) {
  Coverage coverage;
  coverage.add(norm_recipe(Tier::quick, "layer_norm", "a", {2, 3, 4}, DType::float32)
                   .x([](std::size_t i, double) { return i == 0 ? 0.0 : -0.25 * double(i); })
                   .make(1));
  coverage.add(norm_recipe(Tier::quick, "layer_norm", "b", {7, 5}, DType::float64)
                   .option("eps", "0.5")
                   .no_affine()
                   .pads([](std::size_t row) { return row == 2; })
                   .make(1));
  EXPECT_EQ(coverage.cases, 2u);
  EXPECT_THAT(coverage.dtypes, ElementsAre(Pair("float32", 1), Pair("float64", 1)));
  EXPECT_THAT(coverage.modes, ElementsAre(Pair("training", 2)));
  EXPECT_THAT(coverage.options["eps"], ElementsAre(Pair("1e-05", 1), Pair("0.5", 1)));
  EXPECT_THAT(coverage.inputs["gamma"], ElementsAre(Pair(kAbsent, 1), Pair(kGiven, 1)));
  EXPECT_THAT(coverage.inputs["valid"], ElementsAre(Pair(kAbsent, 1), Pair(kGiven, 1)));
  EXPECT_THAT(coverage.extents["features"], ElementsAre(4, 5));
  EXPECT_THAT(coverage.extents["rows"], ElementsAre(6, 7));
  EXPECT_THAT(coverage.extents["samples"], ElementsAre(2));
  EXPECT_THAT(coverage.extents["tokens"], ElementsAre(3));
  EXPECT_THAT(coverage.extents["axes"], ElementsAre(2, 3));
  const MagnitudeRange& x = coverage.magnitudes.at({"x", DType::float32});
  EXPECT_EQ(x.least, 0.25);
  EXPECT_EQ(x.greatest, 0.25 * 23);
  EXPECT_TRUE(x.zero && x.negative);
  EXPECT_FALSE(x.not_a_number || x.infinity);
  EXPECT_FALSE(coverage.magnitudes.contains({"gamma", DType::float64}));
}

TEST(CorpusCoverage, CountsInfinityAndNaNSeparately) {
  Coverage coverage;
  coverage.add(norm_recipe(Tier::quick, "rms_norm", "a", {1, 3}, DType::float32)
                   .x([](std::size_t i, double) { return i == 0   ? 2
                                                         : i == 1 ? INFINITY
                                                                  : NAN; })
                   .make(1));
  const MagnitudeRange& x = coverage.magnitudes.at({"x", DType::float32});
  EXPECT_EQ(x.least, 2);
  EXPECT_EQ(x.greatest, 2);
  EXPECT_TRUE(x.infinity && x.not_a_number);
  EXPECT_FALSE(x.zero || x.negative);
}

TEST(CorpusCoverage, SeparatesStepsAndGroupsFromRowsAndFeatures) {
  Coverage coverage;
  coverage.add(
      norm_recipe(Tier::quick, "batch_norm", "a", {6, 5}, DType::float32).steps(4).make(1));
  EXPECT_THAT(coverage.extents["steps"], ElementsAre(4));
  EXPECT_THAT(coverage.extents["rows"], ElementsAre(6));
  coverage = {};
  coverage.add(norm_recipe(Tier::quick, "group_norm", "a", {1, 3, 12}, DType::float32).make(1));
  EXPECT_THAT(coverage.extents["features a group"], ElementsAre(4));
}

TEST(CorpusCoverage, MergesTensorsOfAnEncoderByName) {
  Coverage coverage;
  coverage.add(encoder_case(Tier::quick, "encoder",
                            {.reason = "a",
                             .why = "b",
                             .options = {{"num_heads", "2"}, {"num_layers", "2"}},
                             .samples = 3,
                             .tokens = 7,
                             .d_model = 8,
                             .d_ff = 5,
                             .vocabulary = 11,
                             .class_weights = false},
                            1));
  for (const auto& [name, extent] :
       {std::pair{"samples", 3u}, std::pair{"tokens", 7u}, std::pair{"features", 8u},
        std::pair{"features a head", 4u}, std::pair{"feed-forward features", 5u},
        std::pair{"words", 11u}, std::pair{"classes", 3u}})
    EXPECT_THAT(coverage.extents[name], ElementsAre(extent)) << name;
  EXPECT_THAT(coverage.inputs["class_weights"], ElementsAre(Pair(kAbsent, 1)));
  EXPECT_TRUE(coverage.magnitudes.contains({"gamma", DType::float64}));
  EXPECT_TRUE(coverage.magnitudes.contains({"weight", DType::float64}));
}

TEST(CorpusCoverage, HasStepsAndStateOfAnOptimizer) {
  Coverage coverage;
  for (const Case& c : optimizer_cases(Tier::quick, "adam", 1))
    if (c.reason == "after_a_thousand_steps" || c.reason == "single_step") coverage.add(c);
  EXPECT_THAT(coverage.extents["iterations"], ElementsAre(7, 1000));
  EXPECT_THAT(coverage.extents["steps"], ElementsAre(1, 3));
  EXPECT_THAT(coverage.extents["elements"], ElementsAre(15));
  EXPECT_TRUE(coverage.inputs.empty());
}

TEST(CorpusCoverage, ListsFeaturesOfSixteenBitCasesSeparately) {
  Coverage coverage;
  coverage.add(norm_recipe(Tier::quick, "layer_norm", "a", {2, 64}, DType::float16).make(1));
  coverage.add(norm_recipe(Tier::quick, "layer_norm", "a", {2, 72}, DType::bfloat16).make(1));
  coverage.add(norm_recipe(Tier::quick, "layer_norm", "a", {2, 80}, DType::float32).make(1));
  EXPECT_THAT(coverage.extents["features"], ElementsAre(64, 72, 80));
  EXPECT_THAT(coverage.extents["features in 16 bits"], ElementsAre(64, 72));
  EXPECT_FALSE(coverage.extents.contains("rows in 16 bits"));
}

TEST(CorpusCoverage, HasTheChannelsOfImagesOnly) {
  Coverage coverage;
  coverage.add(norm_recipe(Tier::quick, "batch_norm", "a", {3, 5}, DType::float32).make(1));
  EXPECT_FALSE(coverage.extents.contains("channels of an image"));
  coverage.add(norm_recipe(Tier::quick, "batch_norm", "a", {2, 40, 1, 3}, DType::float32)
                   .option("layout", "channels_first")
                   .make(1));
  EXPECT_THAT(coverage.extents["channels of an image"], ElementsAre(40));
}

TEST(CorpusCoverage, HasKeysBeforeTheFirstQueryOfCausalAttention) {
  Coverage coverage;
  for (const Case& c : attention_cases(Tier::quick, 1))
    if (c.reason == "causal_more_keys" || c.reason == "one_key") coverage.add(c);
  EXPECT_THAT(coverage.extents["keys before the first query"], ElementsAre(4));
}

TEST(CorpusCoverage, HasTheLargestTargetOfCrossEntropy) {
  Coverage coverage;
  for (const Case& c : cross_entropy_cases(Tier::quick, 1))
    if (c.reason == "last_class" || c.reason == "one_class") coverage.add(c);
  EXPECT_THAT(coverage.extents["largest target"], ElementsAre(0, 4));
}

TEST(CorpusCoverage, HasPastPositionsOfDecoding) {
  Coverage coverage;
  for (const Case& c : transformer_cases(Tier::quick, "decoding", 1))
    if (c.reason == "post_layer_norm" || c.reason == "one_step") coverage.add(c);
  EXPECT_THAT(coverage.extents["past positions"], ElementsAre(0, 4));
}

TEST(CorpusCoverage, IsTheUnionOverAllCases) {
  const Case one = norm_recipe(Tier::quick, "group_norm", "a", {1, 3, 12}, DType::float32).make(1);
  const Case two = norm_recipe(Tier::quick, "group_norm", "b", {2, 3, 6}, DType::float16).make(1);
  Coverage first, second, both;
  first.add(one);
  second.add(two);
  both.add(one);
  both.add(two);
  first += second;
  EXPECT_EQ(first.cases, both.cases);
  EXPECT_EQ(first.options, both.options);
  EXPECT_EQ(first.inputs, both.inputs);
  EXPECT_EQ(first.dtypes, both.dtypes);
  EXPECT_EQ(first.modes, both.modes);
  EXPECT_EQ(first.extents, both.extents);
  ASSERT_EQ(first.magnitudes.size(), both.magnitudes.size());
  for (const auto& [key, reach] : both.magnitudes) {
    EXPECT_EQ(first.magnitudes[key].least, reach.least);
    EXPECT_EQ(first.magnitudes[key].greatest, reach.greatest);
    EXPECT_EQ(first.magnitudes[key].negative, reach.negative);
  }
}

TEST(CorpusCoverage, OrdersNumbersBeforeNames) {
  Counts counts = {{"before", 1}, {"10", 1}, {"9", 1}, {"1e-05", 1}, {"-1", 1}, {"1e1", 1}};
  std::vector<std::string> order;
  for (const auto& [value, cases] : counts) order.push_back(value);
  EXPECT_THAT(order, ElementsAre("-1", "1e-05", "9", "10", "1e1", "before"));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
