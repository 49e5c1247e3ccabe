#include "verification/training/norm_statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::tests::verification::training {
namespace {

using namespace normproof::verification::training;
using normproof::ref::model::LayerNormOptions;
using normproof::ref::model::PowerNormOptions;
using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

using Values = normproof::ref::tensor::Tensor<double>;

Values find_tensor_values(std::initializer_list<double> numbers) {
  Values values = normproof::ref::tensor::empty_tensor<double>({numbers.size()});
  std::copy(numbers.begin(), numbers.end(), values.data());
  return values;
}

TEST(NormStatistics, RequestOnlyTensorsOfNormLayers) {
  for (const char* name : {"layers.0.norm1.mean", "final_norm.mean_x_hat_squared",
                           "decoder.layers.1.norm3.running_psi2"})
    EXPECT_TRUE(NormStatistics::requests(name)) << name;
  for (const char* name : {"layers.0.norm1.x", "layers.0.norm1.y", "grad_layers.0.norm1.gamma",
                           "layers.0.attention.y", "loss", "x.norm"})
    EXPECT_FALSE(NormStatistics::requests(name)) << name;
}

TEST(NormStatistics, RecordMinimumMeanAndMaximum) {
  NormStatistics seen;
  seen.record("layers.0.norm1.mean", find_tensor_values({3, -1, 4}));
  seen.record("layers.0.norm1.mean",
              find_tensor_values({1, 0, 2}));  // a later tensor replaces an earlier one
  seen.record("final_norm.rstd", find_tensor_values({0.5}));
  EXPECT_THAT(seen.sites(),
              ElementsAre(Pair("final_norm", ElementsAre(Pair("rstd", ElementsAre(0.5, 0.5, 0.5)))),
                          Pair("layers.0.norm1", ElementsAre(Pair("mean", ElementsAre(0, 1, 2))))));
}

TEST(NormStatistics, WeightOfANewValueExistsOnlyForNormsWithNu) {
  EXPECT_THAT(new_weight(PowerNormOptions{.alpha_backward = 0.75}), Optional(0.25));
  EXPECT_EQ(new_weight(LayerNormOptions{}), std::nullopt);
}

TEST(NormStatistics, GammaIsWeightedByTheAlphaOfItsOwnNorm) {
  NormStatistics seen;
  seen.record("encoder.layers.0.norm1.mean_x_hat_squared", find_tensor_values({1, 8}));
  seen.record("decoder.final_norm.mean_x_hat_squared", find_tensor_values({3, 2}));
  seen.record("decoder.layers.0.norm1.mean_x_hat_squared", find_tensor_values({100}));
  RunConfig config;
  config.task = Task::translate;
  EXPECT_EQ(max_weighted_gamma_statistic(config, seen), std::nullopt);
  config.translator.encoder.norm = PowerNormOptions{.alpha_backward = 0.75};
  EXPECT_THAT(max_weighted_gamma_statistic(config, seen), Optional(2.0));
  config.translator.decoder.final_norm = PowerNormOptions{.alpha_backward = 0};
  EXPECT_THAT(max_weighted_gamma_statistic(config, seen), Optional(3.0));
  config.task = Task::classify;
  config.train.encoder.norm = PowerNormOptions{.alpha_backward = 0.5};
  EXPECT_THAT(max_weighted_gamma_statistic(config, seen), Optional(50.0));
}

}  // namespace
}  // namespace normproof::tests::verification::training
