#include "verification/cli/gpu/gpu_train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::gpu {
namespace {

using testing::HasSubstr;
using tool::gpu::GpuTrainCommand;
using TrainingTask = normproof::verification::checks::agreement::TrainingTask;

TEST(GpuTrainOptions, ParsesEveryOption) {
  const auto train = parse_command<GpuTrainCommand>(
      {"--norm", "batch_norm", "--optimizer", "adam", "--steps", "3"});
  EXPECT_EQ(train.norm, "batch_norm");
  EXPECT_EQ(train.optimizer, "adam");
  EXPECT_EQ(train.steps, 3);
  EXPECT_EQ(train.seed, 42u);
  EXPECT_EQ(train.task, TrainingTask::classes);
  EXPECT_FALSE(train.scaled_embedding);
  EXPECT_TRUE(parse_command<GpuTrainCommand>({"--scaled-embedding"}).scaled_embedding);
  EXPECT_EQ(parse_command<GpuTrainCommand>({"--seed", "0"}).seed, 0u);
  EXPECT_EQ(parse_command<GpuTrainCommand>({"--task", "language"}).task, TrainingTask::language);
  EXPECT_EQ(parse_command<GpuTrainCommand>({"--task", "translate"}).task,
            TrainingTask::translation);
}

TEST(GpuTrainOptions, ErrorsNameInvalidOptions) {
  EXPECT_THAT(refusal<GpuTrainCommand>({"--norm", "layer_nrom"}), HasSubstr("'layer_norm'"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--optimizer", "adan"}), HasSubstr("'adam'"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--task", "translation"}), HasSubstr("--task"));
  EXPECT_THAT(refusal<GpuTrainCommand>({"--steps", "0"}), HasSubstr("--steps is '0'"));
}

TEST(GpuTrainProgram, RejectedTrainingPrintsNothing) {
  for (const std::string task : {"translate", "language"})
    for (const std::string norm : {"group_norm", "instance_norm"}) {
      const Outcome refused = run("$N gpu train --task " + task + " --norm " + norm);
      EXPECT_EQ(refused.status, 2);
      EXPECT_EQ(refused.out, "");
      EXPECT_EQ(refused.err, "normproof: --norm is '" + norm +
                                 "'; expected one without statistics over a sentence, or --task "
                                 "classify\n");
    }
  const Outcome trained = run("$N gpu train --norm group_norm --steps 1");
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.out,
              testing::StartsWith("group_norm with sgd, 1 step, seed 42\nstep    1  "));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::gpu
