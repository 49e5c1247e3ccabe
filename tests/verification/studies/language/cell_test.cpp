#include "verification/studies/language/cell.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::language {
namespace {

namespace model = ref::model;
using ::testing::HasSubstr;

std::string refused(const std::string& name) {
  return ref::numeric::error_message<ref::numeric::UsageError>([&] { parse_cell(name); });
}

TEST(LanguageStudyCell, NameParsesBackToTheCell) {
  Cell cell;
  EXPECT_EQ(cell_name(cell), "language/pre/layer_norm/rate-1e-2/seed-1");
  cell = {.placement = model::NormPlacement::post,
          .norm = "power_norm",
          .learning_rate = "3e-3",
          .seed = 7,
          .size = Size::quick,
          .purpose = RunPurpose::test};
  EXPECT_EQ(cell_name(cell), "language/post/power_norm/rate-3e-3/seed-7/quick/test");
  for (const training::Task task : study_tasks())
    for (const std::string& norm : study_norms(task))
      for (const std::string& rate : study_rates())
        for (const Size size : {Size::quick, Size::whole})
          for (const RunPurpose purpose :
               {RunPurpose::validation, RunPurpose::test, RunPurpose::dynamics}) {
            const Cell one{.task = task,
                           .norm = norm,
                           .learning_rate = rate,
                           .size = size,
                           .purpose = purpose};
            EXPECT_EQ(parse_cell(cell_name(one)), one) << cell_name(one);
          }
}

TEST(LanguageStudyCell, TranslatorNameGivesNormsOfBothSides) {
  using Sides = std::pair<std::string, std::string>;
  EXPECT_EQ(split_norms_by_side("dyt"), Sides("dyt", "dyt"));
  EXPECT_EQ(split_norms_by_side(kReleasedPlacement), Sides("power_norm_released", "layer_norm"));
  EXPECT_EQ(study_norms(training::Task::translate).size(),
            study_norms(training::Task::language).size() + 1);
  EXPECT_EQ(cell_name({.task = training::Task::translate, .norm = kReleasedPlacement}),
            "translate/pre/power_norm_released+layer_norm/rate-1e-2/seed-1");
  EXPECT_THAT(refused("language/pre/power_norm_released+layer_norm/rate-1e-2/seed-1"),
              HasSubstr("did you mean 'power_norm_released'"));
}

TEST(LanguageStudyCell, RejectsInvalidNames) {
  EXPECT_THAT(refused("language/pre"), HasSubstr("has fewer than five parts"));
  EXPECT_THAT(refused("langauge/pre/none/rate-1e-2/seed-1"), HasSubstr("the task of cell"));
  EXPECT_THAT(refused("classify/pre/none/rate-1e-2/seed-1"), HasSubstr("has the task classify"));
  EXPECT_THAT(refused("language/mid/none/rate-1e-2/seed-1"), HasSubstr("the placement of cell"));
  EXPECT_THAT(refused("language/pre/power_nrom/rate-1e-2/seed-1"),
              HasSubstr("did you mean 'power_norm'"));
  EXPECT_THAT(refused("language/pre/none/1e-2/seed-1"), HasSubstr("expected rate-..."));
  EXPECT_THAT(refused("language/pre/none/rate-0/seed-1"), HasSubstr("expected one above 0"));
  EXPECT_THAT(refused("language/pre/none/rate-x/seed-1"), HasSubstr("a number"));
  EXPECT_THAT(refused("language/pre/none/rate-7e-2/seed-1"),
              HasSubstr("has the rate 7e-2; expected one of the study, 3e-3, 1e-2, 3e-2"));
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/1"), HasSubstr("expected seed-..."));
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/seed-1/slow"),
              HasSubstr("quick, test or dynamics"));
  EXPECT_THAT(refused("language/pre/none/rate-1e-2/seed-1/test/dynamics"),
              HasSubstr("has the parts test and dynamics; expected one of them"));
}

TEST(LanguageStudyCell, HasOnlyOneValidName) {
  for (const char* other :
       {"language/pre/none/rate-0.01/seed-1", "language/pre/none/rate-1e-2/seed-01"})
    EXPECT_THAT(refused(other),
                HasSubstr("expected its one name, language/pre/none/rate-1e-2/seed-1"));
  for (const char* other : {"test/quick", "quick/test/test", "quick/quick/test"})
    EXPECT_THAT(refused(fmt::format("language/pre/none/rate-1e-2/seed-1/{}", other)),
                HasSubstr("expected its one name, language/pre/none/rate-1e-2/seed-1/quick/test"));
}

/// Returns the training settings of the cell `cell` that differ from the settings of the cell
/// `from`.
std::vector<std::string> list_changed_settings(const Cell& cell, const Cell& from) {
  const auto base = training::list_settings(make_run_config(from));
  std::vector<std::string> found;
  for (const auto& setting : training::list_settings(make_run_config(cell)))
    if (std::ranges::find(base, setting) == base.end())
      found.push_back(fmt::format("{}={}", setting.first, setting.second));
  return found;
}

TEST(LanguageStudyCell, TranslatorConfigurationsDifferOnlyAsTheirNamesDo) {
  using ::testing::AllOf;
  using ::testing::Contains;
  using ::testing::ElementsAre;
  using ::testing::Not;
  const Cell base{.task = training::Task::translate};
  const auto changed = [&](auto&& change) {
    Cell cell = base;
    change(cell);
    return list_changed_settings(cell, base);
  };
  EXPECT_THAT(changed([](Cell& c) { c.placement = model::NormPlacement::post; }),
              ElementsAre("model.placement=post"));
  EXPECT_THAT(changed([](Cell& c) { c.learning_rate = "3e-2"; }),
              ElementsAre("training.learning_rate=0.03"));
  EXPECT_THAT(changed([](Cell& c) { c.seed = 2; }), ElementsAre("training.seed=2"));
  EXPECT_THAT(changed([](Cell& c) { c.purpose = RunPurpose::test; }), ElementsAre());
  EXPECT_THAT(
      changed([](Cell& c) { c.size = Size::quick; }),
      ElementsAre("model.d_model=16", "encoder.d_ff=64", "encoder.num_layers=1", "decoder.d_ff=64",
                  "decoder.num_layers=1", "training.batch_size=16", "schedule.warmup_steps=40",
                  "initialization.name=xavier_normal", "initialization.gain=1"));
  for (const Size size : {Size::whole, Size::quick})
    EXPECT_TRUE(make_run_config({.task = training::Task::translate, .size = size})
                    .translator.scaled_embedding);
  EXPECT_THAT(changed([](Cell& c) { c.norm = "dyt"; }),
              AllOf(Contains("norm.name=dyt"), Contains("final_norm.name=dyt"),
                    Contains("decoder_norm.name=dyt"), Contains("decoder_final_norm.name=dyt")));
  EXPECT_THAT(
      changed([](Cell& c) { c.norm = kReleasedPlacement; }),
      AllOf(Contains("norm.name=power_norm_released"), Contains("norm.warmup_iterations=800"),
            Contains("final_norm.warmup_iterations=800"),
            Not(Contains("decoder_norm.name=power_norm_released"))));
}

TEST(LanguageStudyCell, ConfigurationsDifferOnlyAsTheirNamesDo) {
  const auto changes = [](const Cell& cell) { return list_changed_settings(cell, {}); };
  using ::testing::ElementsAre;
  EXPECT_THAT(changes({.placement = model::NormPlacement::post}),
              ElementsAre("encoder.placement=post"));
  EXPECT_THAT(changes({.learning_rate = "3e-2"}), ElementsAre("training.learning_rate=0.03"));
  EXPECT_THAT(changes({.seed = 2}), ElementsAre("training.seed=2"));
  EXPECT_THAT(changes({.purpose = RunPurpose::test}), ElementsAre());
  EXPECT_THAT(changes({.size = Size::quick}),
              ElementsAre("encoder.d_model=16", "encoder.d_ff=64", "training.batch_size=16",
                          "training.epochs=4", "training.context=32", "schedule.warmup_steps=40"));
  EXPECT_THAT(changes({.norm = "power_norm_released"}),
              ::testing::Contains("norm.warmup_iterations=200"));
  EXPECT_THROW(make_run_config({.norm = "group_norm"}), ref::numeric::UsageError);
  EXPECT_THROW(make_run_config({.norm = kReleasedPlacement}), ref::numeric::UsageError);
  EXPECT_THROW(make_run_config({.learning_rate = "fast"}), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::studies::language
