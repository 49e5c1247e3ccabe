#include "verification/cli/trace_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::verification::cli {
namespace {

using ::testing::HasSubstr;

TEST(TraceCommandLine, TakesItsOptions) {
  const auto command = std::get<TraceCommand>(
      parse_command_line({"trace", "--out", "o", "--steps", "20", "--certified", "--format", "npz",
                          "--threads", "3", "--config", "c", "--weights", "w", "--json"}));
  EXPECT_EQ(command.out, "o");
  EXPECT_EQ(command.steps, 20u);
  EXPECT_TRUE(command.certified);
  EXPECT_EQ(command.suffix, ".npz");
  EXPECT_EQ(command.threads, 3);
  EXPECT_EQ(command.source.config, "c");
  EXPECT_EQ(command.weights, "w");
  EXPECT_TRUE(command.json);
  EXPECT_EQ(std::get<TraceCommand>(parse_command_line({"trace", "--out", "o"})).suffix,
            ".safetensors");
}

TEST(TraceCommandLine, WhatIsMissingOrWrongIsNamed) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { parse_command_line(arguments); });
  };
  EXPECT_THAT(message({"trace"}), HasSubstr("--out"));
  EXPECT_THAT(message({"trace", "--out", "o", "--steps", "0"}), HasSubstr("--steps is '0'"));
  EXPECT_THAT(message({"trace", "--out", "o", "--format", "np"}), HasSubstr("did you mean 'npz'?"));
}

}  // namespace
}  // namespace normproof::verification::cli
