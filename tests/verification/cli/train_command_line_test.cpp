#include "verification/cli/train_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::verification::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(TrainCommandLine, TakesItsOptions) {
  const auto command = std::get<TrainCommand>(parse_command_line({"train",
                                                                  "--out",
                                                                  "o",
                                                                  "--config",
                                                                  "c",
                                                                  "--set",
                                                                  "norm.name=none",
                                                                  "--set",
                                                                  "a.b=c=d",
                                                                  "--seed",
                                                                  "9",
                                                                  "--data",
                                                                  "d",
                                                                  "--vocab",
                                                                  "v",
                                                                  "--validation",
                                                                  "n",
                                                                  "--checkpoint-every",
                                                                  "5",
                                                                  "--threads",
                                                                  "3",
                                                                  "--resume"}));
  EXPECT_EQ(command.out, "o");
  EXPECT_EQ(command.source.config, "c");
  EXPECT_THAT(command.source.settings, ElementsAre(Pair("norm.name", "none"), Pair("a.b", "c=d"),
                                                   Pair("training.seed", "9")));
  EXPECT_EQ(command.source.files.data, "d");
  EXPECT_EQ(command.source.validation, "n");
  EXPECT_EQ(command.checkpoint_every, 5u);
  EXPECT_EQ(command.threads, 3);
  EXPECT_TRUE(command.resume);
  EXPECT_FALSE(command.print_config);
}

TEST(TrainCommandLine, WeightsToBeginWithAreNotForARunThatGoesOn) {
  EXPECT_EQ(
      std::get<TrainCommand>(parse_command_line({"train", "--out", "o", "--weights", "w.npz"}))
          .weights,
      "w.npz");
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>([] {
                parse_command_line({"train", "--out", "o", "--resume", "--weights", "w.npz"});
              }),
              HasSubstr("--weights is given with --resume; expected one of them"));
}

TEST(TrainCommandLine, WhatIsMissingOrWrongIsNamed) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { parse_command_line(arguments); });
  };
  EXPECT_THAT(message({"train"}), HasSubstr("--out is not given"));
  EXPECT_THAT(message({"train", "--out", "o", "--checkpoint-every", "x"}),
              HasSubstr("--checkpoint-every is 'x'"));
  EXPECT_THAT(message({"train", "--out", "o", "more"}), HasSubstr("unexpected argument 'more'"));
  EXPECT_THAT(message({"train", "--ot", "o"}), HasSubstr("did you mean '--out'?"));
}

}  // namespace
}  // namespace normproof::verification::cli
