#include "verification/language_study/cell.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::language_study {
namespace {

namespace model = ref::model;
using ::testing::HasSubstr;

std::string refused(const std::string& name) {
  return ref::numeric::error_message<ref::numeric::UsageError>([&] { parse_cell(name); });
}

TEST(LanguageCell, HasANameThatReadsBack) {
  Cell cell;
  EXPECT_EQ(cell_name(cell), "language/pre/layer_norm/rate-1e-2/seed-1");
  cell = {.placement = model::NormPlacement::post,
          .norm = "power_norm",
          .learning_rate = "3e-3",
          .seed = 7,
          .size = Size::quick,
          .test = true};
  EXPECT_EQ(cell_name(cell), "language/post/power_norm/rate-3e-3/seed-7/quick/test");
  for (const std::string& norm : study_norms())
    for (const std::string& rate : study_rates())
      for (const Size size : {Size::quick, Size::whole})
        for (const bool test : {false, true}) {
          const Cell one{.norm = norm, .learning_rate = rate, .size = size, .test = test};
          EXPECT_EQ(parse_cell(cell_name(one)), one) << cell_name(one);
        }
}

TEST(LanguageCell, NamesThatSayNothingAreRefused) {
  EXPECT_THAT(refused("language/pre"), HasSubstr("has fewer than five parts"));
  EXPECT_THAT(refused("langauge/pre/none/rate-1e-2/seed-1"), HasSubstr("the task of cell"));
  EXPECT_THAT(refused("classify/pre/none/rate-1e-2/seed-1"), HasSubstr("has the task classify"));
  EXPECT_THAT(refused("language/mid/none/rate-1e-2/seed-1"), HasSubstr("the placement of cell"));
  EXPECT_THAT(refused("language/pre/power_nrom/rate-1e-2/seed-1"),
              HasSubstr("did you mean 'power_norm'"));
  EXPECT_THAT(refused("language/pre/none/1e-2/seed-1"), HasSubstr("expected rate-..."));
  EXPECT_THAT(refused("language/pre/none/rate-0/seed-1"), HasSubstr("expected one above 0"));
  EXPECT_THAT(refused("language/pre/none/rate-x/seed-1"), HasSubstr("a number"));
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/1"), HasSubstr("expected seed-..."));
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/seed-1/slow"), HasSubstr("quick or test"));
}

TEST(LanguageCell, ACellHasOneName) {
  for (const char* other :
       {"language/pre/none/rate-0.01/seed-1", "language/pre/none/rate-1e-2/seed-01"})
    EXPECT_THAT(refused(other),
                HasSubstr("expected its one name, language/pre/none/rate-1e-2/seed-1"));
  for (const char* other : {"test/quick", "quick/test/test", "quick/quick/test"})
    EXPECT_THAT(refused(fmt::format("language/pre/none/rate-1e-2/seed-1/{}", other)),
                HasSubstr("expected its one name, language/pre/none/rate-1e-2/seed-1/quick/test"));
}

TEST(LanguageCell, ConfigurationsDifferInWhatTheNameSays) {
  const auto base = training::list_settings(config_of({}));
  const auto changes = [&](const Cell& cell) {
    std::vector<std::string> found;
    for (const auto& setting : training::list_settings(config_of(cell)))
      if (std::ranges::find(base, setting) == base.end())
        found.push_back(fmt::format("{}={}", setting.first, setting.second));
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(changes({.placement = model::NormPlacement::post}),
              ElementsAre("encoder.placement=post"));
  EXPECT_THAT(changes({.learning_rate = "3e-2"}), ElementsAre("training.learning_rate=0.03"));
  EXPECT_THAT(changes({.seed = 2}), ElementsAre("training.seed=2"));
  EXPECT_THAT(changes({.test = true}), ElementsAre());
  EXPECT_THAT(changes({.size = Size::quick}),
              ElementsAre("encoder.d_model=16", "encoder.d_ff=64", "training.batch_size=16",
                          "training.epochs=4", "training.context=32", "schedule.warmup_steps=40"));
  EXPECT_THAT(changes({.norm = "power_norm_released"}),
              ::testing::Contains("norm.warmup_iterations=200"));
  EXPECT_THROW(config_of({.norm = "group_norm"}), ref::numeric::UsageError);
  EXPECT_THROW(config_of({.learning_rate = "fast"}), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::language_study
