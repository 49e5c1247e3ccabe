#include "verification/cli/train/complete.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

// evaluate_test.cpp tests what the command prints.
namespace normproof::tests::verification::cli::train {
namespace {

using testing::HasSubstr;
using tool::train::CompleteCommand;

TEST(CompleteOptions, ParsesRunPromptAndLength) {
  const auto complete =
      parse_command<CompleteCommand>({"--run", "r", "--prompt", "the old ", "--length", "7"});
  EXPECT_EQ(complete.folder, "r");
  EXPECT_EQ(complete.prompt, "the old ");
  EXPECT_EQ(complete.length, 7u);
  EXPECT_EQ(complete.average, 1u);
  EXPECT_EQ(
      parse_command<CompleteCommand>({"--run", "r", "--prompt", "a", "--average", "3"}).average,
      3u);
  EXPECT_THAT(refusal<CompleteCommand>({"--run", "r"}), HasSubstr("--prompt is required"));
  EXPECT_THAT(refusal<CompleteCommand>({"--run", "r", "--prompt", ""}),
              HasSubstr("expected a character at least"));
  EXPECT_THAT(refusal<CompleteCommand>({"--run", "r", "--prompt", "a", "--length", "-1"}),
              HasSubstr("--length is '-1'"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
