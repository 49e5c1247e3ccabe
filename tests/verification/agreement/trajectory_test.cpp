#include "verification/agreement/trajectory.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::agreement {
namespace {

Trajectory small_trajectory() {
  Trajectory trajectory;
  trajectory.batch_size = 3;
  trajectory.seq_len = 5;
  trajectory.steps = 3;
  trajectory.config.encoder.vocab_size = 13;
  trajectory.config.encoder.d_model = 8;
  trajectory.config.encoder.num_heads = 2;
  trajectory.config.encoder.d_ff = 12;
  return trajectory;
}

TEST(AgreementTrajectory, TheHashOfTheReferenceInTwoOrdersOfTheThreads) {
  const Trajectory trajectory = small_trajectory();
  const auto ignore = [](std::int64_t, double) {};
  const std::string expected = trajectory_of_ref(trajectory, ignore);
  for (const std::uint64_t seed : {0, 5}) {
    const auto device = gpu::device::simulated_device(seed);
    EXPECT_EQ(trajectory_of_device(*device, trajectory, ignore), expected);
  }
}

TEST(AgreementTrajectory, AnotherSeedIsAnotherTrajectory) {
  Trajectory trajectory = small_trajectory();
  const auto ignore = [](std::int64_t, double) {};
  const std::string first = trajectory_of_ref(trajectory, ignore);
  ++trajectory.config.seed;
  EXPECT_NE(trajectory_of_ref(trajectory, ignore), first);
}

TEST(AgreementTrajectory, EverySentenceHasARealTokenAndSomeHavePadding) {
  const auto batch = batch_of(small_trajectory(), 0);
  std::size_t real = 0;
  for (std::size_t b = 0; b < 3; ++b) EXPECT_TRUE(batch.inputs.valid.data()[b * 5]);
  for (const bool v : batch.inputs.valid) real += v ? 1 : 0;
  EXPECT_LT(real, 15u);
}

}  // namespace
}  // namespace normproof::verification::agreement
