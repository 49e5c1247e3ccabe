#include "verification/cli/tools/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "verification/checks/evaluation/operation_tables.hpp"
#include "verification/cli/program/commands.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using tool::tools::OperationsCommand;

std::string run_and_capture_output(const Arguments& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(parse_command<OperationsCommand>(arguments)), tool::kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST(OperationsProgram, PrintsTheDescriptionsOfAllOperations) {
  EXPECT_EQ(run_and_capture_output({}),
            normproof::verification::checks::evaluation::operations_text());
  EXPECT_EQ(run_and_capture_output({"--json"}),
            normproof::verification::checks::evaluation::operations_json());
  EXPECT_EQ(run_and_capture_output({"--table"}),
            normproof::verification::checks::evaluation::layers_markdown());
}

TEST(OperationsProgram, RejectsTwoFormats) {
  EXPECT_THROW(parse_command<OperationsCommand>({"--json", "--table"}),
               normproof::ref::numeric::UsageError);
}

TEST(OperationsProgram, FormerCommandLayersPrintsTheNewName) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto status = tool::parse_arguments(tool::program::all_commands(), {"layers", "--table"})();
  EXPECT_EQ(status, tool::kSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "normproof: 'layers' is now called 'operations'\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            normproof::verification::checks::evaluation::layers_markdown());
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
