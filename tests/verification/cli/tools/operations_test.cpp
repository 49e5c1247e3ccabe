#include "verification/cli/tools/layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "verification/operands/layer_tables.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using tool::tools::LayersCommand;

std::string printed(const Arguments& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(parsed<LayersCommand>(arguments).run(), tool::kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST(Layers, PrintsTheDescriptions) {
  EXPECT_EQ(printed({}), normproof::verification::operands::layers_text());
  EXPECT_EQ(printed({"--json"}), normproof::verification::operands::layers_json());
  EXPECT_EQ(printed({"--table"}), normproof::verification::operands::layers_markdown());
}

TEST(Layers, TakesOneFormat) {
  EXPECT_THROW(parsed<LayersCommand>({"--json", "--table"}), normproof::ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
