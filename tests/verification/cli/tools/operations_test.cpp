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

std::string printed(const Arguments& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(parsed<OperationsCommand>(arguments)), tool::kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST(OperationsProgram, PrintsTheDescriptionsOfAllOperations) {
  EXPECT_EQ(printed({}), normproof::verification::checks::evaluation::operations_text());
  EXPECT_EQ(printed({"--json"}), normproof::verification::checks::evaluation::operations_json());
  EXPECT_EQ(printed({"--table"}), normproof::verification::checks::evaluation::layers_markdown());
}

TEST(OperationsProgram, RejectsTwoFormats) {
  EXPECT_THROW(parsed<OperationsCommand>({"--json", "--table"}),
               normproof::ref::numeric::UsageError);
}

TEST(OperationsProgram, FormerNameLayersPrintsTheNewName) {
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
