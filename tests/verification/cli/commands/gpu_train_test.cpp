#include "verification/cli/commands/gpu_train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::commands {
namespace {

using testing::HasSubstr;
using tool::commands::GpuTrainCommand;
using Trained = normproof::verification::agreement::Trained;

TEST(GpuTrainOptions, AreTaken) {
  const auto train =
      parsed<GpuTrainCommand>({"--norm", "batch_norm", "--optimizer", "adam", "--steps", "3"});
  EXPECT_EQ(train.norm, "batch_norm");
  EXPECT_EQ(train.optimizer, "adam");
  EXPECT_EQ(train.steps, 3);
  EXPECT_EQ(train.seed, 42u);
  EXPECT_EQ(train.task, Trained::classes);
  EXPECT_EQ(parsed<GpuTrainCommand>({"--seed", "0"}).seed, 0u);
  EXPECT_EQ(parsed<GpuTrainCommand>({"--task", "language"}).task, Trained::language);
  EXPECT_EQ(parsed<GpuTrainCommand>({"--task", "translate"}).task, Trained::translation);
}

TEST(GpuTrainOptions, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal<GpuTrainCommand>({"--norm", "layernorm"}), HasSubstr("'layer_norm'"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--optimizer", "adan"}), HasSubstr("'adam'"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--task", "translation"}), HasSubstr("--task"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--steps", "0"}), HasSubstr("--steps is '0'"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::commands
