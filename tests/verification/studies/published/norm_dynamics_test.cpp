#include "verification/studies/published/norm_dynamics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/verification/studies/published/samples.hpp"
#include "verification/studies/published/cell_run.hpp"

namespace normproof::verification::studies::published {
namespace {

namespace model = ref::model;
using ref::tensor::Tensor;
using ::testing::Each;
using ::testing::Optional;

/// A model with one norm layer of two channels. The tests choose the tensors of the norm by hand.
class OneNormModel {
 public:
  explicit OneNormModel(const model::NormOptions& norm) {
    config_.num_layers = 1;
    config_.d_model = 2;
    config_.norm = norm;
    dynamics_.emplace(config_);
  }

  /// Runs a step with x of shape [1,4,2], whose last row is padding. Afterwards, the running mean
  /// is (3, 4).
  void step(const Tensor<double>& x, const Tensor<double>& rstd,
            const Tensor<double>& big_gamma = {}, const Tensor<double>& grad_y = {},
            const Tensor<double>& grad_x = {}, const Tensor<double>& nu = {0, 0}) {
    const auto before = state_;
    const auto tap = dynamics_->begin_step(before, valid_);
    for (const std::string site : {"layers.0.norm1", "layers.0.norm2"}) {
      tap(site + ".x", x);
      if (ref::tensor::is_given(rstd)) tap(site + ".rstd", rstd);
      if (state_.norms.contains(site + ".running_mean"))
        state_.norms.set(site + ".running_mean", Tensor<double>{3, 4});
      if (ref::tensor::is_given(big_gamma)) {
        tap("grad_" + site + ".y", grad_y);
        tap(site + ".mean_x_hat_squared", big_gamma);
        tap("grad_" + site + ".x", grad_x);
        state_.norms.set(site + ".nu", nu);
      }
    }
    dynamics_->end_step(state_);
  }

  std::optional<double> last_value(const std::string& name) const {
    const auto sites = dynamics_->result();
    for (const auto& [own, values] : sites.at(1).series)
      if (own == name) return values.back();
    return std::nullopt;
  }

  ref::train::TrainState<double> state_;
  model::EncoderConfig config_;
  std::optional<NormDynamics> dynamics_;
  ref::tensor::Mask valid_ = {{true, true, true, false}};
};

/// Returns rows with exact statistics: the means are 1 and 2, the variances 6 and 0, the quadratic
/// means 7 and 4.
const Tensor<double>& rows_with_exact_statistics() {
  static const Tensor<double> x = {{{-2, 2}, {4, 2}, {1, 2}, {1000, 1000}}};
  return x;
}

TEST(NormDynamics, StatisticsOfValidRowsMatchHandComputation) {
  OneNormModel one(model::BatchNormOptions{.eps = 0.25});
  for (const char* site : {"layers.0.norm1", "layers.0.norm2"}) {
    one.state_.norms.set(std::string(site) + ".running_mean", Tensor<double>{4, 6});
    one.state_.norms.set(std::string(site) + ".running_variance", Tensor<double>{6, 0});
    one.state_.parameters.set(std::string(site) + ".gamma", Tensor<double>{-5, 1});
  }
  one.step(rows_with_exact_statistics(), {0.5, 3});
  EXPECT_EQ(one.last_value("mean_change"), std::nullopt);
  EXPECT_THAT(one.last_value("mean_distance"), Optional(5.0 / 2));  // from the running mean (4, 6)
  EXPECT_THAT(one.last_value("running_mean_rms"), Optional(5 / std::sqrt(2.0)));
  EXPECT_THAT(one.last_value("variance_distance"), Optional(0.0));
  EXPECT_THAT(one.last_value("running_variance_rms"), Optional(6 / std::sqrt(2.0)));
  EXPECT_THAT(one.last_value("lipschitz_batch_norm"), Optional(2.0));  // 5 / 2.5, and 1 / 0.5
  EXPECT_THAT(one.last_value("lipschitz_power_norm"), Optional(5 * (1 / std::sqrt(7.25))));
  EXPECT_THAT(one.last_value("lipschitz"), Optional(3.0));  // 1 times 3
  // The means (1, 2) become (1, 2 + sqrt(5)). So the change is as long as the vector (1, 2).
  Tensor<double> moved = rows_with_exact_statistics();
  for (std::size_t row = 0; row < 3; ++row) moved(0, row, 0) += 1, moved(0, row, 1) += 2;
  one.step(moved, {0.5, 3});
  EXPECT_THAT(one.last_value("mean_change"), Optional(1.0));
  EXPECT_THAT(one.last_value("variance_change"), Optional(0.0));
  const auto spreads = one.dynamics_->result().at(0).spreads;
  ASSERT_EQ(spreads.size(), 3u);
  // The values (1, 2) and (2, 4) have the variances 0.5 and 2 and the means 1.5 and 3.
  EXPECT_EQ(spreads[0], (std::pair<std::string, double>(
                            "mean", std::sqrt(1.25) / (std::sqrt(11.25) / std::sqrt(2.0)))));
  EXPECT_EQ(spreads[1].second, 0);
}

TEST(NormDynamics, CoverRowStatisticsAndLayersWithoutNorm) {
  OneNormModel layer_norm(model::LayerNormOptions{});
  layer_norm.state_.parameters.set("layers.0.norm2.gamma", Tensor<double>{-5, 1});
  layer_norm.step(rows_with_exact_statistics(), {{1, 2, 3, 1}});
  EXPECT_THAT(layer_norm.last_value("lipschitz"), Optional(15.0));
  OneNormModel none(model::NoneOptions{});
  none.step(rows_with_exact_statistics(), {});
  EXPECT_THAT(none.last_value("lipschitz"), Optional(1.0));
  EXPECT_EQ(none.last_value("lipschitz_batch_norm"), std::nullopt);  // a channel is constant
}

TEST(NormDynamics, GradientBoundMatchesHandComputation) {
  OneNormModel one(model::PowerNormOptions{.eps = 0, .alpha_backward = 0.5});
  one.state_.parameters.set("layers.0.norm2.gamma", Tensor<double>{2, -1});
  const Tensor<double> rstd = {0.5, 0.25};
  // Over the three valid rows, the root mean squares of grad_y are 1 and 2, so those of g are 2 and
  // 2. The root mean squares of grad_x are 1 and 1, so those of X' are 2 and 4.
  const Tensor<double> grad_y = {{{1, 2}, {-1, 2}, {1, -2}, {9, 9}}};
  const Tensor<double> grad_x = {{{1, 1}, {1, -1}, {1, 1}, {9, 9}}};
  one.step(rows_with_exact_statistics(), rstd, {1, 4}, grad_y, grad_x, {0.5, -3});
  EXPECT_THAT(one.last_value("gradient_seen"), Optional(4.0));
  EXPECT_THAT(one.last_value("gradient_bound"), Optional(4.0));  // 2 (1 + sqrt(4 / 4))
  EXPECT_THAT(one.last_value("gradient_share"), Optional(1.0));
  EXPECT_THAT(one.last_value("bound_channels"), Optional(2.0));
  EXPECT_THAT(one.last_value("max_weighted_gamma"), Optional(2.0));
  EXPECT_THAT(one.last_value("nu_largest"), Optional(3.0));
  EXPECT_THAT(one.last_value("psi_least"), Optional(2.0));
  // (1 - alpha) Gamma was 2 in the second channel, so the bound no longer includes this channel.
  one.step(rows_with_exact_statistics(), rstd, {0.25, 4}, grad_y, grad_x);
  EXPECT_THAT(one.last_value("bound_channels"), Optional(1.0));
  EXPECT_THAT(one.last_value("gradient_bound"), Optional(4.0));  // 2 (1 + sqrt(0.25 / 0.25))
  EXPECT_THAT(one.last_value("gradient_seen"), Optional(2.0));
  // Later steps keep the minimum Gamma and the maximum g.
  one.step(rows_with_exact_statistics(), rstd, {1, 4}, grad_y * 0.5, grad_x);
  EXPECT_THAT(one.last_value("gradient_bound"), Optional(6.0));  // 2 (1 + sqrt(1 / 0.25))
  EXPECT_THAT(one.last_value("gradient_share"), Optional(1.0 / 3));
  // If Gamma is 0, there is no bound.
  one.step(rows_with_exact_statistics(), rstd, {0, 4}, grad_y, grad_x);
  EXPECT_THAT(one.last_value("bound_channels"), Optional(0.0));
  EXPECT_EQ(one.last_value("gradient_bound"), std::nullopt);
}

TEST(NormDynamics, EveryNormOfTheStudyHasItsQuantities) {
  const auto data = dataset_with_two_steps_per_epoch();
  for (const std::string& norm : study_norms()) {
    const Cell cell{.layers = 2,
                    .d_ff = 4,
                    .norm = norm,
                    .learning_rate = "1e-2",
                    .steps = 6,
                    .dynamics = true};
    const CellResult result = run_cell(cell, data);
    ASSERT_EQ(result.dynamics.size(), norm == "layer_norm_pre" ? 5u : 4u);
    for (const NormLayerDynamics& site : result.dynamics) {
      std::vector<std::string> names;
      for (const auto& [name, values] : site.series) {
        names.push_back(name);
        EXPECT_EQ(values.size(), 6u) << norm << " " << name;
        if (name == "gradient_share") {
          EXPECT_THAT(values, Each(Optional(::testing::Le(1.0)))) << norm << " " << site.site;
        }
      }
      const auto has = [&](const char* name) {
        return std::ranges::find(names, name) != names.end();
      };
      EXPECT_TRUE(has("lipschitz") && has("lipschitz_power_norm")) << norm;
      EXPECT_EQ(has("running_mean_rms"), norm == "batch_norm");
      EXPECT_EQ(has("running_psi2_rms"), norm.starts_with("power_norm"));
      EXPECT_EQ(has("nu_largest"), norm == "power_norm" || norm == "power_norm_released");
      EXPECT_EQ(has("gradient_share"), norm == "power_norm");
    }
  }
}

TEST(NormDynamics, PowerNormIsMeasuredWithItsRunningPsi) {
  const Cell cell{.d_ff = 4, .norm = "power_norm", .steps = 2, .dynamics = true};
  const CellResult result = run_cell(cell, dataset_with_two_steps_per_epoch());
  for (const auto& [name, values] : result.dynamics.at(0).series)
    if (name == "lipschitz") {
      // At the first step, gamma and psi are 1.
      EXPECT_THAT(values.at(0), Optional(1 / std::sqrt(1 + 1e-5)));
      EXPECT_NE(values.at(1), values.at(0));
    }
}

}  // namespace
}  // namespace normproof::verification::studies::published
