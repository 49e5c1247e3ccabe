#include "verification/studies/language/traced_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "ref/numeric/square_root.hpp"
#include "tests/verification/studies/language/small_data.hpp"
#include "verification/checks/statistics/fluctuation.hpp"
#include "verification/studies/language/followed_task.hpp"

namespace normproof::verification::studies::language {
namespace {

using ref::tensor::Mask;
using ref::tensor::Tensor;
using ::testing::Optional;

std::optional<double> quality(const training::Qualities& qualities, const std::string& name) {
  for (const auto& [own, value] : qualities)
    if (own == name) return value;
  return std::nullopt;
}

training::RunConfig make_config_with_norm(const ref::model::NormOptions& norm) {
  training::RunConfig config;
  config.task = training::Task::language;
  config.train.encoder.norm = norm;
  return config;
}

TEST(NormTrace, ComparesInputStatisticsWithThoseOfEarlierSteps) {
  NormTrace trace(make_config_with_norm(ref::model::LayerNormOptions{}));
  const Mask two = {{true, true, false}};
  // The means are 1 and 2, the variances 4 and 1, and the quadratic means 5 and 5. The last row is
  // padding.
  trace.record("layers.0.norm1.x", {{{-1, 1}, {3, 3}, {1000, 1000}}}, two);
  EXPECT_TRUE(trace.end_step({}).empty());
  // The means are 1 and 4, the variances 0 and 4, and the quadratic means 1 and 20.
  const Tensor<double> second = {{{1, 2}, {1, 6}, {0, 0}}};
  trace.record("layers.0.norm1.x", second, two);
  const auto found = trace.end_step({});
  EXPECT_EQ(found.size(), 3u);
  const std::string own = "fluctuation.layers.0.norm1.";
  EXPECT_THAT(quality(found, own + "mean"), Optional(2 / ref::numeric::square_root(5.0)));
  EXPECT_THAT(quality(found, own + "variance"), Optional(5 / ref::numeric::square_root(17.0)));
  EXPECT_THAT(quality(found, own + "quadratic_mean"),
              Optional(ref::numeric::square_root(241.0) / ref::numeric::square_root(50.0)));
  // The running values are now 0.9 times those of the first step plus 0.1 times those of the
  // second. So the running means are 1 and 2.2.
  trace.record("layers.0.norm1.x", second, two);
  const double variances = (0.9 * 4 + 0.1 * 0) + (0.9 * 1 + 0.1 * 4);
  EXPECT_NEAR(*quality(trace.end_step({}), own + "mean"),
              1.8 / ref::numeric::square_root(variances), 1e-15);
}

TEST(NormTrace, TracesTheGradientBoundOfPowerNormOnly) {
  for (const bool power : {false, true}) {
    NormTrace trace(power
                        ? make_config_with_norm(ref::model::PowerNormOptions{.alpha_backward = 0.5})
                        : make_config_with_norm(ref::model::PowerNormReleasedOptions{}));
    const Tensor<double> x = {{{1, 1}, {1, 1}}};
    trace.record("final_norm.x", x, {});
    trace.record("final_norm.rstd", {0.5, 0.25}, {});
    trace.record("final_norm.mean_x_hat_squared", {1, 4}, {});
    trace.record("grad_final_norm.y", {{{1, 2}, {-1, 2}}}, {});
    trace.record("grad_final_norm.x", {{{0.5, 1}, {0.5, -1}}}, {});
    ref::tensor::NamedTensors<double> parameters;
    parameters.set("final_norm.gamma", {2, -1});
    const auto first = trace.end_step(parameters);
    // rms(X') is 1 and 4. The bound is 2 (1 + 1) in both channels.
    EXPECT_EQ(quality(first, "gradient_share.final_norm"),
              power ? std::optional(1.0) : std::nullopt);
    EXPECT_EQ(quality(first, "bound_channels.final_norm"),
              power ? std::optional(1.0) : std::nullopt);
    // (1 - alpha) Gamma was 2 in the second channel, so this channel has no bound any more.
    const auto second = trace.end_step(parameters);
    EXPECT_EQ(quality(second, "gradient_share.final_norm"),
              power ? std::optional(0.25) : std::nullopt);
    EXPECT_EQ(quality(second, "bound_channels.final_norm"),
              power ? std::optional(0.5) : std::nullopt);
  }
}

TEST(NormTrace, RequestsOnlyTensorsOfNorms) {
  for (const std::string name :
       {"x", "grad_x", "layers.0.attention.x", "grad_layers.0.feed_forward.x", "norms",
        "layers.0.norm1.y", "layers.0.norm1.mean"})
    EXPECT_FALSE(NormTrace::requests(name)) << name;
  for (const std::string name : {"final_norm.x", "grad_decoder.layers.1.norm3.y",
                                 "encoder.layers.0.norm2.mean_x_hat_squared"})
    EXPECT_TRUE(NormTrace::requests(name)) << name;
}

/// Runs two training steps of a task and traces them. The model has the given norm.
struct TracedSteps {
  TracedSteps(const std::string& norm, training::Task task)
      : config(make_run_config_with_data(quick_cell(norm, task), data)),
        own(make_task(config, data)) {
    auto state = own->initial_state();
    NormTrace trace(config);
    NormTracingTask tracing_task(config, data, *own, trace);
    tracing_task.begin_epoch(0);
    tracing_task.step(0, state, {});
    qualities = tracing_task.step(1, state, {}).qualities;
    sha256 = ref::train::state_sha256(state);
  }
  std::size_t count(std::string_view begin) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        qualities, [=](const auto& named) { return named.first.starts_with(begin); }));
  }

  StudyData data = small_study_data();
  training::RunConfig config;
  std::unique_ptr<training::RunTask> own;
  training::Qualities qualities;
  std::string sha256;
};

TEST(TracedTrainingTask, CoversEveryNormLayerAndChangesNoBit) {
  for (const training::Task task : study_tasks())
    for (const std::string& norm : study_norms(task)) {
      const TracedSteps two(norm, task);
      const std::size_t sites = task == training::Task::language ? 5 : 7;
      EXPECT_EQ(two.count("fluctuation."), 3 * sites) << norm;
      EXPECT_EQ(two.count("gradient_share."), norm == "power_norm" ? sites : 0) << norm;
      for (const auto& [name, value] : two.qualities)
        if (name.starts_with(kGradientSharePrefix)) {
          EXPECT_LE(value, 1) << name;
          EXPECT_GT(value, 0) << name;
        }
      auto state = two.own->initial_state();
      two.own->begin_epoch(0);
      for (const std::size_t k : {0, 1}) two.own->step(k, state, {});
      EXPECT_EQ(ref::train::state_sha256(state), two.sha256) << norm;
    }
}

/// The batches have padding. A norm in the encoder uses the real tokens of the source, and a norm
/// in the decoder uses the real tokens of the target. The fluctuation of batch_norm's input must
/// match the statistics that the norm computes from these tokens.
TEST(TracedTrainingTask, StatisticsUseTheTokensOfTheNormsSide) {
  const StudyData data = small_study_data();
  const auto config =
      make_run_config_with_data(quick_cell("batch_norm", training::Task::translate), data);
  const auto own = make_task(config, data);
  auto state = own->initial_state();
  NormTrace trace(config);
  NormTracingTask tracing_task(config, data, *own, trace);
  tracing_task.begin_epoch(0);
  std::map<std::string, Tensor<double>> before, now;
  const auto into = [](std::map<std::string, Tensor<double>>& shown) {
    return ref::encoder::TensorTap<double>(
        [&](const std::string& name, const Tensor<double>& values) {
          shown.insert_or_assign(name, values);
        });
  };
  tracing_task.step(0, state, into(before));
  const auto qualities = tracing_task.step(1, state, into(now)).qualities;
  for (const std::string site : {"encoder.layers.0.norm2", "decoder.layers.0.norm3"})
    EXPECT_NEAR(*quality(qualities, "fluctuation." + site + ".mean"),
                checks::statistics::fluctuation(
                    now.at(site + ".mean"), before.at(site + ".mean"),
                    checks::statistics::channel_square_roots(before.at(site + ".biased_variance")))
                    .relative,
                1e-12)
        << site;
}

}  // namespace
}  // namespace normproof::verification::studies::language
