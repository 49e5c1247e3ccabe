#include "verification/cli/study/study_report_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using testing::HasSubstr;
using tool::study::StudyReportCommand;

TEST(StudyReportOptions, ParsesAFolder) {
  EXPECT_EQ(parse_command<StudyReportCommand>({"--out", "o"}).out, "o");
  EXPECT_FALSE(parse_command<StudyReportCommand>({"--out", "o"}).json);
  using tool::study::WhichStudy;
  EXPECT_EQ(parse_command<StudyReportCommand>({"--out", "o"}).study, WhichStudy::published);
  EXPECT_EQ(parse_command<StudyReportCommand>({"--out", "o", "--study", "language"}).study,
            WhichStudy::language);
  EXPECT_THAT(refusal<StudyReportCommand>({}), HasSubstr("--out is required; expected DIR: "));
  EXPECT_THAT(refusal<StudyReportCommand>({"--out", "o", "--quick"}),
              HasSubstr("unknown option '--quick'"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
