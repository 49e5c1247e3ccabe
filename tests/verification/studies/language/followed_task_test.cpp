#include "verification/studies/language/followed_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ref/numeric/square_root.hpp"
#include "tests/verification/studies/language/small_data.hpp"

namespace normproof::verification::studies::language {
namespace {

using ref::tensor::Tensor;
using ::testing::IsEmpty;

/// Takes two training steps of a model with one kind of norm. Keeps the statistics ("qualities") of
/// the second step and the tensors that the task showed.
struct TwoTrainingSteps {
  explicit TwoTrainingSteps(const std::string& norm)
      : config(make_run_config_with_data(quick_cell(norm), data)), own(make_task(config, data)) {
    FluctuationTask task(*own);
    auto state = ref::train::initial_train_state(config.train);
    task.begin_epoch(0);
    task.step(0, state, {});
    before = state.norms;
    step = task.step(
        1, state,
        ref::encoder::TensorTap<double>([&](const std::string& name, const Tensor<double>& values) {
          shown.insert_or_assign(name, values);
        }));
    after = ref::train::state_sha256(state);
  }
  std::vector<std::string> followed() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : step.qualities)
      if (name.starts_with(kFluctuation)) names.push_back(name.substr(kFluctuation.size()));
    return names;
  }
  double find_statistic(const std::string& name) const {
    for (const auto& [own_name, value] : step.qualities)
      if (own_name == name) return value;
    ADD_FAILURE() << name;
    return 0;
  }

  StudyData data = small_study_data();
  training::RunConfig config;
  std::unique_ptr<training::RunTask> own;
  ref::tensor::NamedTensors<double> before;
  training::TaskStepResult step;
  std::map<std::string, Tensor<double>> shown;
  std::string after;
};

double euclidean_distance(const Tensor<double>& a, const Tensor<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]);
  return ref::numeric::square_root(squares);
}

TEST(FollowedTrainingTask, ComparesTheQuadraticMeanWithTheRunningMeanBeforeTheStep) {
  const TwoTrainingSteps two("power_norm");
  EXPECT_THAT(two.followed(), ::testing::ElementsAre(
                                  "layers.0.norm1.quadratic_mean", "layers.0.norm2.quadratic_mean",
                                  "layers.1.norm1.quadratic_mean", "layers.1.norm2.quadratic_mean",
                                  "final_norm.quadratic_mean"));
  const Tensor<double>& running = two.before.at("layers.1.norm1.running_psi2");
  EXPECT_NEAR(two.find_statistic("fluctuation.layers.1.norm1.quadratic_mean"),
              euclidean_distance(two.shown.at("layers.1.norm1.quadratic_mean"), running) /
                  euclidean_distance(running, running * 0.0),
              1e-12);
}

TEST(FollowedTrainingTask, DividesMeansByTheRootOfTheRunningVariance) {
  const TwoTrainingSteps two("batch_norm");
  EXPECT_EQ(two.followed().size(), 10u);
  const Tensor<double>& variance = two.before.at("final_norm.running_variance");
  double sum = 0;
  for (const double v : variance) sum += v;
  EXPECT_NEAR(two.find_statistic("fluctuation.final_norm.mean"),
              euclidean_distance(two.shown.at("final_norm.mean"),
                                 two.before.at("final_norm.running_mean")) /
                  ref::numeric::square_root(sum),
              1e-12);
  EXPECT_NEAR(two.find_statistic("fluctuation.final_norm.variance"),
              euclidean_distance(two.shown.at("final_norm.biased_variance"), variance) /
                  euclidean_distance(variance, variance * 0.0),
              1e-12);
}

TEST(FollowedTrainingTask, ChangesNoBitAndIgnoresNormsWithoutRunningValues) {
  for (const std::string norm : {"layer_norm", "none", "dyt"})
    EXPECT_THAT(TwoTrainingSteps(norm).followed(), IsEmpty()) << norm;
  const TwoTrainingSteps two("batch_norm");
  auto state = ref::train::initial_train_state(two.config.train);
  two.own->begin_epoch(0);
  for (const std::size_t k : {0, 1}) two.own->step(k, state, {});
  EXPECT_EQ(ref::train::state_sha256(state), two.after);
}

}  // namespace
}  // namespace normproof::verification::studies::language
