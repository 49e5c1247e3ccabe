#include "verification/studies/language/measures.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::language {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string step_line(std::size_t step, double loss, const std::string& more = "") {
  return fmt::format("{{\"step\":{},\"loss\":{}{},\"sha256\":\"{:064}\"}}\n", step, loss, more,
                     step);
}

std::string fluctuation_field(double value) {
  return fmt::format(",\"fluctuation.layers.0.norm1.variance\":{}", value);
}

TEST(LanguageStudyMeasures, FluctuationIsAveragedOverPartsOfTheRunAfterTheWarmup) {
  std::string metrics;
  for (std::size_t step = 1; step <= 40; ++step)
    metrics += step_line(step, static_cast<double>(step),
                         fluctuation_field(step <= 38 ? 8 : static_cast<double>(step)));
  metrics += "{\"epoch\":1,\"step\":40,\"validation_loss\":1.5}\n";
  CellResult result;
  read_measures(metrics, "f", 40, 38, result);
  EXPECT_EQ(result.steps, 40u);
  EXPECT_EQ(result.sha256, fmt::format("{:064}", 40));
  ASSERT_EQ(result.training_loss.size(), kPieces);
  EXPECT_EQ(result.training_loss.front(), 1.5);
  EXPECT_EQ(result.training_loss.back(), 39.5);
  EXPECT_THAT(result.validation_loss, ElementsAre(std::optional(1.5)));
  ASSERT_EQ(result.fluctuation.size(), 1u);
  EXPECT_EQ(result.fluctuation[0].site, "layers.0.norm1");
  EXPECT_EQ(result.fluctuation[0].statistic, "variance");
  EXPECT_EQ(result.fluctuation[0].mean, 39.5);
  EXPECT_EQ(result.fluctuation[0].pieces.front(), 8);
}

TEST(LanguageStudyMeasures, BleuIsReadForTheEpochsThatHaveIt) {
  const std::string metrics =
      step_line(1, 2) +
      "{\"epoch\":1,\"step\":1,\"validation_loss\":2.0,\"validation_bleu\":1.25}\n" +
      step_line(2, 2) +
      "{\"epoch\":2,\"step\":2,\"validation_loss\":1.5,\"validation_bleu\":3.5}\n";
  CellResult result;
  read_measures(metrics, "f", 2, 0, result);
  EXPECT_THAT(result.validation_bleu, ElementsAre(std::optional(1.25), std::optional(3.5)));
  EXPECT_EQ(result.last_validation_bleu(), 3.5);
}

TEST(LanguageStudyMeasures, GradientBoundKeepsTheMaximumRatioAndTheMinimumChannels) {
  const auto bound = [](double share, double channels) {
    return fmt::format(",\"gradient_share.final_norm\":{},\"bound_channels.final_norm\":{}", share,
                       channels);
  };
  const std::string metrics = step_line(1, 2, bound(0.25, 1)) + step_line(2, 2, bound(0.75, 0.5)) +
                              step_line(3, 2, bound(0.5, 0.75)) + step_line(4, 2);
  CellResult result;
  read_measures(metrics, "f", 40, 0, result);
  ASSERT_EQ(result.gradient_bound.size(), 1u);
  const NormLayerGradientBound& own = result.gradient_bound[0];
  EXPECT_EQ(own.site, "final_norm");
  EXPECT_EQ(own.largest, 0.75);
  EXPECT_EQ(own.channels, 0.5);
  EXPECT_EQ(own.pieces[0], 0.5);  // the mean of 0.25 and 0.75
  EXPECT_EQ(own.pieces[1], 0.5);
  EXPECT_EQ(own.pieces[2], std::nullopt);
}

TEST(LanguageStudyMeasures, NonFiniteValuesAreIgnored) {
  const std::string metrics =
      step_line(1, 2, ",\"max_weighted_gamma\":0.5,\"fluctuation.final_norm.mean\":null") +
      step_line(2, 3, ",\"max_weighted_gamma\":0.25") +
      "{\"epoch\":1,\"step\":2,\"validation_loss\":null}\n";
  CellResult result;
  read_measures(metrics, "f", 4, 0, result);
  EXPECT_EQ(result.max_weighted_gamma, 0.5);
  EXPECT_TRUE(result.fluctuation.empty());
  EXPECT_THAT(result.validation_loss, ElementsAre(std::nullopt));
  EXPECT_EQ(result.training_loss[0], 2);
  EXPECT_EQ(result.training_loss[10], std::nullopt);
}

TEST(LanguageStudyMeasures, ErrorNamesALineThatIsNotAStep) {
  const auto refused = [](const std::string& metrics) {
    return ref::numeric::error_message<ref::numeric::FileError>([&] {
      CellResult result;
      read_measures(metrics, "f", 2, 0, result);
    });
  };
  EXPECT_THAT(refused(step_line(1, 2) + "{}\n"), HasSubstr("f: line 2: step is absent"));
  EXPECT_THAT(refused(step_line(3, 2)), HasSubstr("f: line 1: step is 3; expected 1 to 2"));
  EXPECT_THAT(refused("x\n"), HasSubstr("f: line 1"));
}

}  // namespace
}  // namespace normproof::verification::studies::language
