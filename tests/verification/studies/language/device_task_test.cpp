#include "verification/studies/language/device_task.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/language/small_data.hpp"
#include "verification/studies/language/followed_task.hpp"
#include "verification/training/norm_statistics.hpp"

namespace normproof::verification::studies::language {
namespace {

using ref::tensor::Tensor;
using training::Task;
using Shown = std::map<std::string, Tensor<double>>;

/// The same training task on the processor (`own`) and on a device (`there`).
struct ProcessorAndDeviceTask {
  ProcessorAndDeviceTask(const std::string& norm, Task task)
      : config(make_run_config_with_data(quick_cell(norm, task), data)),
        own(make_task(config, data)),
        there(*device, config, data, *own) {
    there.begin_epoch(0);
  }

  StudyData data = small_study_data();
  training::RunConfig config;
  std::unique_ptr<gpu::device::Device> device = gpu::device::simulated_device(4);
  std::unique_ptr<training::RunTask> own;
  DeviceTask there;
};

/// Takes step k of the task. Records the statistics of the norms in `shown`.
training::TaskStepResult run_task_step(training::RunTask& task, std::size_t k,
                                       ref::train::TrainState<double>& state, Shown& shown) {
  FluctuationTask fluctuation_task(task);
  return fluctuation_task.step(
      k, state,
      {[&](const std::string& name, const Tensor<double>& values) { shown[name] = values; },
       training::NormStatistics::requests});
}

TEST(DeviceTrainingTask, StepsEqualThoseOfTheProcessor) {
  for (const Task task : {Task::language, Task::translate})
    for (const std::string norm : {"layer_norm", "batch_norm", "power_norm"}) {
      SCOPED_TRACE(norm);
      ProcessorAndDeviceTask task_pair(norm, task);
      auto expected = task_pair.own->initial_state(), state = expected;
      for (const std::size_t k : {0, 1}) {
        Shown by_ref, shown;
        const auto step = run_task_step(*task_pair.own, k, expected, by_ref);
        const auto got = run_task_step(task_pair.there, k, state, shown);
        EXPECT_EQ(got.result.loss, step.result.loss);
        EXPECT_EQ(got.result.learning_rate, step.result.learning_rate);
        EXPECT_EQ(got.result.gradient_norms.whole, step.result.gradient_norms.whole);
        EXPECT_EQ(got.result.gradient_norms.per_tensor, step.result.gradient_norms.per_tensor);
        EXPECT_EQ(got.qualities, step.qualities);
        EXPECT_EQ(shown, by_ref);
        EXPECT_FALSE(shown.empty());
      }
      EXPECT_EQ(ref::train::state_sha256(state), ref::train::state_sha256(expected));
      EXPECT_EQ(state.step, 2);
      EXPECT_EQ(state.optimizer.step, 2);
      EXPECT_NE(task_pair.device->next_order(), 4u) << "it computed nothing";
    }
}

TEST(DeviceTrainingTask, FullTracesAndRejectedStepsRunOnTheProcessor) {
  ProcessorAndDeviceTask task_pair("layer_norm", Task::language);
  auto state = task_pair.there.initial_state();
  Shown shown;
  task_pair.there.step(
      0, state,
      ref::encoder::TensorTap<double>(
          [&](const std::string& name, const Tensor<double>& values) { shown[name] = values; }));
  EXPECT_TRUE(shown.contains("layers.1.feed_forward.y"));
  EXPECT_EQ(task_pair.device->next_order(), 4u);
  state.parameters.at("head.bias").data()[0] = std::numeric_limits<double>::infinity();
  const std::string before = ref::train::state_sha256(state);
  const auto message = [&](const training::RunTask& task) {
    return ref::numeric::contract_message([&] { task.step(1, state, {}); });
  };
  EXPECT_NE(message(*task_pair.own), "no error");
  EXPECT_EQ(message(task_pair.there), message(*task_pair.own));
  EXPECT_EQ(ref::train::state_sha256(state), before);
}

}  // namespace
}  // namespace normproof::verification::studies::language
