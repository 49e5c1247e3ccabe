#include "verification/cli/weights_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::verification::cli {
namespace {

using ::testing::HasSubstr;

TEST(WeightsCommandLine, TakesARunAndAFile) {
  const auto command =
      std::get<WeightsCommand>(parse_command_line({"weights", "--run", "r", "--out", "w.npz"}));
  EXPECT_EQ(command.run, "r");
  EXPECT_EQ(command.out, "w.npz");
  EXPECT_EQ(
      std::get<TrainCommand>(parse_command_line({"train", "--out", "o", "--weights", "w.npz"}))
          .weights,
      "w.npz");
}

TEST(WeightsCommandLine, WhatIsWrongIsNamed) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { parse_command_line(arguments); });
  };
  EXPECT_THAT(message({"weights", "--out", "w.npz"}), HasSubstr("--run"));
  EXPECT_THAT(message({"weights", "--run", "r"}), HasSubstr("--out"));
  EXPECT_THAT(message({"weights", "--ran", "r"}), HasSubstr("did you mean '--run'?"));
  EXPECT_THAT(message({"train", "--out", "o", "--resume", "--weights", "w.npz"}),
              HasSubstr("--weights is given with --resume; expected one of them"));
}

}  // namespace
}  // namespace normproof::verification::cli
