#include "verification/agreement/device_state.hpp"

#include <gtest/gtest.h>

#include "tests/verification/compare/expect.hpp"
#include "verification/agreement/trajectory.hpp"

namespace normproof::verification::agreement {
namespace {

Trajectory some_trajectory() {
  Trajectory trajectory;
  trajectory.config.encoder = {
      .vocab_size = 13, .d_model = 8, .num_heads = 2, .d_ff = 12, .num_layers = 1};
  trajectory.config.optimizer = ref::model::AdamOptions{};
  return trajectory;
}

TEST(DeviceState, ComesBackAsItWas) {
  const auto device = gpu::device::simulated_device();
  const Trajectory trajectory = some_trajectory();
  auto state = ref::train::initial_train_state(trajectory.config);
  ref::train::train_step<double>(trajectory.config, batches_of(trajectory, 0), {}, state);
  const auto back = on_host(on_device(*device, state));
  EXPECT_EQ(ref::train::state_sha256(back), ref::train::state_sha256(state));
  EXPECT_EQ(back.step, 1);
  EXPECT_EQ(back.optimizer.step, 1);
}

TEST(DeviceState, BatchesKeepTokensLabelsTargetsAndMasks) {
  const auto device = gpu::device::simulated_device();
  auto batches = batches_of(some_trajectory(), 3);
  batches[0].targets = {1, 2, 3};
  const auto there = on_device(*device, batches);
  ASSERT_EQ(there.size(), batches.size());
  EXPECT_EQ(there[0].inputs.tokens.ids, batches[0].inputs.tokens.ids);
  EXPECT_EQ(there[0].inputs.tokens.seq_len, batches[0].inputs.tokens.seq_len);
  EXPECT_EQ(there[0].inputs.valid.host_flags(), batches[0].inputs.valid);
  EXPECT_EQ(there[0].labels, batches[0].labels);
  EXPECT_EQ(there[0].targets, batches[0].targets);
}

}  // namespace
}  // namespace normproof::verification::agreement
