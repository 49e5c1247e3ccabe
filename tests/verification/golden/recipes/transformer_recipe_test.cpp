#include "verification/golden/recipes/transformer_recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::recipes {

using corpus::find;

namespace {

std::vector<std::string> list_input_names(const Case& c) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : c.inputs) names.push_back(tensor.name);
  return names;
}

TEST(TransformerRecipe, EachOperationHasItsInputs) {
  const TransformerRecipe recipe{.reason = "mine", .why = "a test", .past = 2};
  using ::testing::Contains;
  using ::testing::Not;
  const auto translator = list_input_names(transformer_case(Tier::quick, "translator", recipe, 1));
  EXPECT_TRUE(std::ranges::is_sorted(translator));
  for (const char* name :
       {"source", "source_valid", "tokens", "valid", "targets", "encoder.embedding.weight",
        "decoder.layers.0.cross_attention.memory.weight", "head.bias"})
    EXPECT_THAT(translator, Contains(name));
  const auto model = list_input_names(transformer_case(Tier::quick, "language_model", recipe, 1));
  EXPECT_THAT(model, Contains("layers.0.attention.in.weight"));
  EXPECT_THAT(model, Not(Contains("source")));
  const Case decoding = transformer_case(Tier::quick, "decoding", recipe, 1);
  EXPECT_EQ(decoding.mode, corpus::Mode::inference);
  EXPECT_EQ(find(decoding.inputs, "layers.0.self_attention.past_keys")->shape,
            (std::vector<std::size_t>{3, 2, 4}));
  EXPECT_THAT(list_input_names(decoding), Not(Contains("targets")));
}

TEST(TransformerRecipe, TiedHeadHasNoWeightAndRequestedValuesAreUsed) {
  const TransformerRecipe recipe{
      .reason = "mine",
      .why = "a test",
      .options = {{"tied_head", "true"}},
      .fills = {{"head.bias", [](std::size_t i, double) { return static_cast<double>(i); }}}};
  const Case c = transformer_case(Tier::quick, "language_model", recipe, 1);
  EXPECT_EQ(find(c.inputs, "head.weight"), nullptr);
  EXPECT_EQ(ref::io::widen(*find(c.inputs, "head.bias")), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_THROW(
      transformer_case(Tier::quick, "decoding",
                       {.reason = "mine", .why = "", .options = {{"label_smoothing", "0"}}}, 1),
      ref::numeric::UsageError);
}

/// The last word of the vocabulary must occur. If it did not, the last row of the gradient would be
/// 0, which would hide a row that is not written.
TEST(TransformerRecipe, LastWordOccursAndTheOneBeforeItDoesNot) {
  const Case c =
      transformer_case(Tier::quick, "translator", {.reason = "mine", .why = "a test"}, 1);
  for (const auto& [name, words] : {std::pair{"source", 5}, std::pair{"tokens", 6}}) {
    const std::vector<double> ids = ref::io::widen(*find(c.inputs, name));
    EXPECT_GT(std::ranges::count(ids, words - 1), 0) << name;
    EXPECT_EQ(std::ranges::count(ids, words - 2), 0) << name;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
