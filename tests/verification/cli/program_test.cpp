#include "verification/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/program_run.hpp"
#include "verification/cli/program/commands.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using testing::HasSubstr;

/// Runs the program within this process. Returns its exit status and output.
Outcome run_in_this_process(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run_program(program::all_commands, arguments);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(ProgramStreams, OutputGoesToStandardOutput) {
  const Outcome outcome = run_in_this_process({"--version"});
  EXPECT_EQ(outcome.status, kSuccess);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("normproof "));
}

TEST(ProgramStreams, ErrorsAreOneSentenceOnStandardError) {
  const Outcome usage = run_in_this_process({"verfy"});
  EXPECT_EQ(usage.status, kUsageError);
  EXPECT_EQ(usage.out, "");
  EXPECT_TRUE(is_one_sentence(usage.err)) << usage.err;
  const Outcome file =
      run_in_this_process({"tokenize", "--data", "/absent/d", "--vocab", "/absent/v"});
  EXPECT_EQ(file.status, kFileError);
  EXPECT_EQ(file.out, "");
  EXPECT_TRUE(is_one_sentence(file.err)) << file.err;
  EXPECT_THAT(file.err, HasSubstr("/absent/"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
