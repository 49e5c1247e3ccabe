#include "verification/study/device_learner.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/study/samples.hpp"
#include "verification/study/cell.hpp"

namespace normproof::verification::study {
namespace {

TEST(DeviceLearner, C1_RejectsAStepWithATap) {
  training::RunConfig config = config_of({.d_ff = 4});
  config.train.encoder.vocab_size = two_steps_an_epoch().vocab_size;
  const auto device = gpu::device::simulated_device();
  const auto learner = device_learner(*device, config.train, {});
  const ref::encoder::Tap<double> tap([](const std::string&, const auto&) {});
  EXPECT_EQ(
      ref::numeric::contract_message([&] { learner->step(0, 1, ref::model::Mode::training, tap); }),
      "device_learner: tap is given; expected a step without one (C1)");
}

}  // namespace
}  // namespace normproof::verification::study
