#include "verification/cli/tools/tokenize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using tool::tools::TokenizeCommand;

TEST(TokenizeProgram, ParsesTheNamesOfFiles) {
  EXPECT_FALSE(parse_command<TokenizeCommand>({}).files.data);
  EXPECT_EQ(parse_command<TokenizeCommand>({"--data", "d", "--vocab", "v"}).files.vocab, "v");
}

TEST(TokenizeProgram, PrintsTheTokenIds) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(TokenizeCommand()), tool::kSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            tool::format_token_ids(tool::load_corpus({}).tokenized));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
