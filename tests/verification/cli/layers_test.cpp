#include "verification/cli/layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "verification/cli/layer_tables.hpp"

namespace normproof::tests::verification::cli {
namespace {

using tool::LayersCommand;

std::string printed(const Arguments& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(parsed<LayersCommand>(arguments).run(), tool::kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST(Layers, PrintsTheDescriptions) {
  EXPECT_EQ(printed({}), tool::layers_text());
  EXPECT_EQ(printed({"--json"}), tool::layers_json());
  EXPECT_EQ(printed({"--table"}), tool::layers_markdown());
}

TEST(Layers, TakesOneFormat) {
  EXPECT_THROW(parsed<LayersCommand>({"--json", "--table"}), normproof::ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
