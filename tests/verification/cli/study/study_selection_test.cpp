#include "verification/cli/study/study_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using normproof::ref::numeric::UsageError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace study = normproof::verification::studies::published;

struct SelectionCommand {
  static constexpr const char* name = "selection";
  static constexpr const char* summary = "A selection alone";

  tool::study::StudySelection selection = {};
  void add(CLI::App& app) { selection.add(app); }
};

study::Selection parse_selection(const Arguments& arguments) {
  return parse_command<SelectionCommand>(arguments).selection.selection();
}

TEST(StudySelectionOptions, ParsesEveryOption) {
  const study::Selection selection = parse_selection(
      {"--protocol", "published,corrected+count_weights", "--padding", "longest", "--tables", "1,4",
       "--figures", "none", "--no-initialization", "--norms", "none,RMSNorm", "--rates", "10,1e-4",
       "--seeds", "5", "--gradient-seeds", "7"});
  ASSERT_THAT(selection.protocols, SizeIs(2));
  EXPECT_EQ(selection.protocols[0], study::published_protocol());
  EXPECT_TRUE(selection.protocols[1].count_weights);
  EXPECT_EQ(selection.padding, study::Padding::longest);
  EXPECT_THAT(selection.tables, ElementsAre(1U, 4U));
  EXPECT_THAT(selection.figures, IsEmpty());
  EXPECT_FALSE(selection.initialization);
  EXPECT_THAT(selection.norms, ElementsAre("none", "rms_norm"));
  EXPECT_THAT(selection.rates, ElementsAre("10", "1e-4"));
  EXPECT_EQ(selection.seeds, 5U);
  EXPECT_EQ(selection.gradient_seeds, 7U);
}

TEST(StudySelectionOptions, QuickAndAllAreAbbreviations) {
  const study::Selection quick = parse_selection({"--quick", "--norms", "all"});
  EXPECT_THAT(quick.rates, SizeIs(3));
  EXPECT_EQ(quick.curve_steps, 20U);
  EXPECT_EQ(quick.norms, study::study_norms());
  EXPECT_THAT(parse_selection({"--protocol", "all"}).protocols, SizeIs(14));
  EXPECT_EQ(parse_selection({}).seeds, study::Selection().seeds);
}

TEST(StudySelectionOptions, CellsAreSelectedByName) {
  const auto named = parse_command<SelectionCommand>({"--cells", "a,b"}).selection;
  EXPECT_THAT(named.cells, ElementsAre("a", "b"));
  EXPECT_THROW(select_cells(named), UsageError);
  const std::string cell = "corrected/1x32/none/rate-0.1/seed-42";
  const auto one = parse_command<SelectionCommand>({"--cells", cell + "," + cell}).selection;
  EXPECT_THAT(select_cells(one), SizeIs(1));
  EXPECT_EQ(study::cell_name(select_cells(one).front()).find("corrected/1x32/none/rate-0.1"), 0u);
}

TEST(StudySelectionOptions, ErrorsNameInvalidOptionsAndTheNearestValidOnes) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<SelectionCommand>(arguments), HasSubstr(what));
  };
  refused({"--norms", "layer_nrom"}, "did you mean 'layer_norm'");
  refused({"--rates", "0.2"}, "unknown learning rate '0.2'");
  refused({"--protocol", "publisched"}, "did you mean");
  refused({"--tables", "7"}, "--tables is '7'");
  refused({"--figures", "1"}, "--figures is '1'");
  refused({"--padding", "64"}, "padding");
  refused({"--seeds", "0"}, "--seeds is '0'");
  refused({"--norms", "none,all"}, "--norms is 'none,all'; expected all alone");
  refused({"--protocol", "all,corrected"}, "expected all alone");
  refused({"--cells", "a", "--quick"}, "no --quick beside it");
  refused({"--cells", "a", "--tables", "1"}, "no --tables beside");
  refused({"--study", "langauge"}, "did you mean 'language'");
  refused({"--placements", "pre"}, "--placements is given; expected none with --study published");
  refused({"--tasks", "language"}, "--tasks is given; expected none with --study published");
}

TEST(StudySelectionOptions, LanguageStudyHasItsOwnOptions) {
  using normproof::ref::model::NormPlacement;
  using normproof::verification::training::Task;
  const auto selection =
      parse_command<SelectionCommand>({"--study", "language", "--quick", "--norms",
                                       "dyt,power_norm_v", "--placements", "pre", "--seeds", "3"})
          .selection.language_selection();
  EXPECT_EQ(selection.size, normproof::verification::studies::language::Size::quick);
  EXPECT_THAT(selection.norms, ElementsAre("dyt", "power_norm_v"));
  EXPECT_THAT(selection.placements, ElementsAre(NormPlacement::pre));
  EXPECT_EQ(selection.seeds, 3U);
  const auto usual =
      parse_command<SelectionCommand>({"--study", "language", "--norms", "all"}).selection;
  EXPECT_EQ(usual.language_selection().norms,
            normproof::verification::studies::language::study_norms(Task::translate));
  EXPECT_THAT(list_language_cells(usual, {}), SizeIs(96 + 108));
  const auto of_tasks = [](const char* tasks) {
    return parse_command<SelectionCommand>({"--study", "language", "--tasks", tasks}).selection;
  };
  EXPECT_THAT(list_language_cells(of_tasks("language"), {}), SizeIs(96));
  EXPECT_THAT(of_tasks("translate,language,translate").language_selection().tasks,
              ElementsAre(Task::language, Task::translate));
  EXPECT_THAT(named_language_cells(usual), IsEmpty());
  const std::string cell = "language/pre/none/rate-1e-2/seed-1/test";
  EXPECT_THAT(named_language_cells(parse_command<SelectionCommand>(
                                       {"--study", "language", "--cells", cell + "," + cell})
                                       .selection),
              ElementsAre(normproof::verification::studies::language::parse_cell(cell)));
}

TEST(StudySelectionOptions, LanguageStudyRejectsOptionsOfThePublishedStudy) {
  const auto refused = [](Arguments arguments, const std::string& what) {
    arguments.insert(arguments.end(), {"--study", "language"});
    EXPECT_THAT(refusal<SelectionCommand>(arguments), HasSubstr(what));
  };
  for (const auto& [option, value] :
       {std::pair("--protocol", "all"), std::pair("--tables", "1"), std::pair("--figures", "2"),
        std::pair("--rates", "10"), std::pair("--padding", "512"),
        std::pair("--gradient-seeds", "2")})
    refused({option, value},
            std::string(option) + " is given; expected none with --study language");
  refused({"--no-initialization"}, "--no-initialization is given");
  refused({"--norms", "layer_norm_pre"}, "unknown norm 'layer_norm_pre'");
  refused({"--seeds", "1"}, "--seeds is '1'; expected 2 or more");
  refused({"--placements", "mid"}, "--placements is 'mid'");
  refused({"--cells", "a", "--placements", "pre"}, "no --placements beside it");
  refused({"--cells", "a", "--tasks", "language"}, "no --tasks beside it");
  const std::string of_published = "corrected/1x8/layer_norm/rate-10/seed-1";
  refused({"--cells", of_published},
          "'" + of_published + "' is one of the published experiment; expected --study published");
  const std::string of_language = "translate/pre/none/rate-1e-2/seed-1";
  EXPECT_THAT(
      refusal<SelectionCommand>({"--cells", of_language}),
      HasSubstr("'" + of_language + "' is one of language models; expected --study language"));
  refused({"--tasks", "classify"}, "--tasks is 'classify'; expected language, translate or both");
  const auto none = parse_command<SelectionCommand>(
      {"--study", "language", "--tasks", "language", "--norms", "power_norm_released+layer_norm"});
  EXPECT_THAT(normproof::ref::numeric::error_message<UsageError>(
                  [&] { list_language_cells(none.selection, {}); }),
              HasSubstr("no cell is selected"));
}

TEST(StudySelectionOptions, FolderOfQuickCellsImpliesTheOptionQuick) {
  using tool::study::select_quick_if_needed;
  const auto with_quick = [](const Arguments& arguments, const std::vector<std::string>& names) {
    std::vector<study::Cell> there;
    for (const std::string& name : names) there.push_back(study::parse_cell(name));
    return select_quick_if_needed(parse_command<SelectionCommand>(arguments).selection, there)
        .quick;
  };
  const std::string of_both = "corrected/1x32/none/rate-10/seed-42",
                    of_quick = "corrected/1x32/none/rate-1e-4/seed-42/steps-20/curves/dynamics",
                    of_all = "corrected/1x32/none/rate-1/seed-42";
  EXPECT_TRUE(with_quick({}, {of_both, of_quick}));
  EXPECT_TRUE(with_quick({"--norms", "none"}, {of_quick}));
  EXPECT_FALSE(with_quick({}, {}));
  EXPECT_FALSE(with_quick({}, {of_both}));
  EXPECT_FALSE(with_quick({}, {of_all}));
  EXPECT_FALSE(with_quick({}, {of_all, of_quick}));
  EXPECT_FALSE(with_quick({"--norms", "layer_norm"}, {of_quick}));
  EXPECT_FALSE(with_quick({"--cells", of_both}, {of_quick}));
  EXPECT_TRUE(with_quick({"--quick"}, {of_all}));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
