#include "verification/cli/study/study_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using testing::HasSubstr;
using tool::study::StudyListCommand;

TEST(StudyList, PrintsTheNamesOfTheCells) {
  StudyListCommand command = parse_command<StudyListCommand>(
      {"--cells", "corrected/1x32/none/rate-0.1/seed-42", "--json"});
  EXPECT_TRUE(command.json);
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("[\n \"corrected/1x32/none/rate-0.1"));
  command.json = false;
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout().find("corrected/1x32/none/rate-0.1"), 0u);
}

TEST(StudyList, ListsTheCellsOfTheLanguageStudy) {
  const StudyListCommand command = parse_command<StudyListCommand>({"--study", "language"});
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  EXPECT_EQ(
      testing::internal::GetCapturedStdout().find("language/post/layer_norm/rate-3e-3/seed-1\n"),
      0u);
}

TEST(StudyList, RejectsTheOptionJobsAndArguments) {
  EXPECT_THAT(refusal<StudyListCommand>({"--jobs", "2"}), HasSubstr("unknown option '--jobs'"));
  EXPECT_THAT(refusal<StudyListCommand>({"more"}), HasSubstr("unexpected argument 'more' of list"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
