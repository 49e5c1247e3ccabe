#include "verification/golden/recipes/encoder_recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<double> make_tensor_values(const std::string& tensor, const EncoderRecipe& recipe,
                                       std::string_view operation = "encoder") {
  return find_tensor_values(encoder_case(Tier::quick, operation, recipe, 1).inputs, tensor);
}

TEST(EncoderRecipe, PadsTheEndOfEachSentenceExceptTheFirst) {
  EncoderRecipe recipe{.reason = "sample", .why = "a test's own"};
  EXPECT_THAT(make_tensor_values("valid", recipe), ElementsAre(1, 1, 1, 1, 1, 0));
  EXPECT_THAT(make_tensor_values("tokens", recipe), ElementsAre(1, 4, 2, 1, 4, 0));
  recipe.pads = false;
  EXPECT_THAT(make_tensor_values("valid", recipe), IsEmpty());
  EXPECT_THAT(make_tensor_values("tokens", recipe), ElementsAre(1, 4, 2, 1, 4, 2));
}

TEST(EncoderRecipe, PadsAsRequestedExceptTheFirstToken) {
  EncoderRecipe recipe{.reason = "sample", .why = "a test's own"};
  recipe.pad = [](std::size_t, std::size_t t) { return t < 2; };
  EXPECT_THAT(make_tensor_values("valid", recipe), ElementsAre(1, 0, 1, 1, 0, 1));
}

TEST(EncoderRecipe, FillsTheTensorWithTheGivenName) {
  EncoderRecipe recipe{.reason = "sample", .why = "a test's own"};
  recipe.fills = {{"x", [](std::size_t, double) { return 3.0; }}};
  EXPECT_THAT(make_tensor_values("x", recipe, "encoder_layer"), Each(3.0));
  EXPECT_THAT(make_tensor_values("grad_y", recipe, "encoder_layer"), Not(Each(3.0)));
}

TEST(EncoderRecipe, RejectsAnUnknownOption) {
  const EncoderRecipe recipe{
      .reason = "sample", .why = "a test's own", .options = {{"placment", "post"}}};
  EXPECT_THROW(make_tensor_values("x", recipe), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
