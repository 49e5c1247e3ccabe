#include "ref/model/option_choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::ref::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OptionChoices, AreTheOtherValuesOfFlagsAndEnumerations) {
  const std::vector<OptionChoices> l2_norm = list_option_choices(operation("l2_norm"));
  ASSERT_EQ(l2_norm.size(), 1u);
  EXPECT_EQ(l2_norm[0].name, "eps_placement");
  EXPECT_FALSE(l2_norm[0].is_flag);
  EXPECT_THAT(l2_norm[0].others, ElementsAre("outside", "floor"));

  const std::vector<OptionChoices> layer_norm = list_option_choices(operation("layer_norm"));
  ASSERT_EQ(layer_norm.size(), 1u);
  EXPECT_EQ(layer_norm[0].name, "zero_centred_gamma");
  EXPECT_TRUE(layer_norm[0].is_flag);
  EXPECT_THAT(layer_norm[0].others, ElementsAre("true"));
}

TEST(OptionChoices, CanAllBeSet) {
  for (const std::string& name : operation_names())
    for (const OptionChoices& option : list_option_choices(operation(name)))
      for (const std::string& value : option.others) {
        Operation changed = operation(name);
        set_option(changed, option.name, value);
        EXPECT_NE(list_all_options(changed), list_all_options(operation(name)))
            << name << " " << option.name;
      }
}

TEST(OptionChoices, AreEmptyForModelsAndOptimizers) {
  for (const char* name : {"encoder_layer", "translator", "adamw"})
    EXPECT_THAT(list_option_choices(operation(name)), IsEmpty()) << name;
}

}  // namespace
}  // namespace normproof::ref::model
