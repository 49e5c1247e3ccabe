#include "verification/studies/published/learner.hpp"

#include <gtest/gtest.h>

#include "tests/verification/studies/published/samples.hpp"
#include "verification/studies/published/cell.hpp"
#include "verification/studies/published/device_learner.hpp"

namespace normproof::verification::studies::published {
namespace {

using ref::model::Mode;

struct Sample {
  Sample() : config(make_run_config({.d_ff = 4})) {
    config.train.encoder.vocab_size = data.vocab_size;
    weights = training::class_weights(data, config);
    batches = training::training_batches(data, config, 0);
    validation = training::validation_batches(data, config);
  }
  training::Dataset data = dataset_with_two_steps_per_epoch();
  training::RunConfig config;
  ref::tensor::Tensor<double> weights;
  Learner::Batches batches, validation;
};

/// Returns two learners, one on the processor and one on the simulated device.
std::vector<std::unique_ptr<Learner>> make_learners(const Sample& sample,
                                                    gpu::device::Device& device) {
  std::vector<std::unique_ptr<Learner>> result;
  result.push_back(processor_learner(sample.config.train, sample.weights));
  result.push_back(device_learner(device, sample.config.train, sample.weights));
  for (const auto& learner : result) {
    learner->set_batches(sample.batches);
    learner->set_validation(sample.validation);
  }
  return result;
}

TEST(StudyLearner, OnlyStepsChangeTheState) {
  const Sample sample;
  const auto device = gpu::device::simulated_device();
  std::vector<std::string> ends;
  for (const auto& learner : make_learners(sample, *device)) {
    const auto hash = [&] { return ref::train::state_sha256(learner->state()); };
    const std::string first = hash();
    const auto found = learner->loss_gradient(0, 1, Mode::training, learner->state());
    EXPECT_EQ(hash(), first);
    const auto step = learner->step(0, 1, Mode::training, {});
    EXPECT_EQ(step.loss, found.loss);
    EXPECT_EQ(step.predictions, found.predictions);
    EXPECT_NE(hash(), first);
    EXPECT_EQ(learner->state().step, 1);
    const std::string moved = hash();
    const auto evaluation = learner->evaluate();
    EXPECT_EQ(evaluation.predictions.size(), sample.data.validation.labels.size());
    EXPECT_EQ(hash(), moved);
    ends.push_back(moved);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(StudyLearner, BatchesAreSelectedByIndex) {
  const Sample sample;
  const auto device = gpu::device::simulated_device();
  for (const auto& learner : make_learners(sample, *device)) {
    const auto first = learner->loss_gradient(0, 1, Mode::training, learner->state());
    const auto second = learner->loss_gradient(1, 1, Mode::training, learner->state());
    EXPECT_NE(first.loss, second.loss);
    EXPECT_EQ(second.predictions.size(), sample.batches[1].labels.size());
  }
}

TEST(StudyLearner, GradientIsComputedAtTheGivenState) {
  const Sample sample;
  const auto device = gpu::device::simulated_device();
  for (const auto& learner : make_learners(sample, *device)) {
    auto other = learner->state();
    other.parameters.at("head.bias").data()[0] = 1;
    EXPECT_NE(learner->loss_gradient(0, 1, Mode::training, other).loss,
              learner->loss_gradient(0, 1, Mode::training, learner->state()).loss);
  }
}

}  // namespace
}  // namespace normproof::verification::studies::published
