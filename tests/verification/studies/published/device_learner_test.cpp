#include "verification/studies/published/device_learner.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/published/samples.hpp"
#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::published {
namespace {

TEST(DeviceLearner, C1_RejectsAStepWithATap) {
  training::RunConfig config = make_run_config({.d_ff = 4});
  config.train.encoder.vocab_size = dataset_with_two_steps_per_epoch().vocab_size;
  const auto device = gpu::device::simulated_device();
  const auto learner = device_learner(*device, config.train, {});
  const ref::encoder::TensorTap<double> tap([](const std::string&, const auto&) {});
  EXPECT_EQ(
      ref::numeric::contract_message([&] { learner->step(0, 1, ref::model::Mode::training, tap); }),
      "device_learner: tap is given; expected a step without one (C1)");
}

}  // namespace
}  // namespace normproof::verification::studies::published
