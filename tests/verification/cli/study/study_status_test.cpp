#include "verification/cli/study/study_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::study {
namespace {

using testing::HasSubstr;
using tool::study::StudyStatusCommand;

TEST(StudyStatusOptions, ParsesEveryOption) {
  const auto status =
      parse_command<StudyStatusCommand>({"--out", "o", "--cells", "a,b", "--jobs", "2", "--json"});
  EXPECT_EQ(status.out, "o");
  EXPECT_EQ(status.jobs, 2);
  EXPECT_TRUE(status.reports.json_on_stdout);
  EXPECT_THAT(status.selection.cells, testing::ElementsAre("a", "b"));
  EXPECT_THAT(refusal<StudyStatusCommand>({"--quick"}), HasSubstr("--out is required"));
  EXPECT_THAT(refusal<StudyStatusCommand>({"--out", "o", "--cells", "a", "--quick"}),
              HasSubstr("no --quick beside it"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::study
