#include "verification/checks/statistics/slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/checks/statistics/corpora.hpp"
#include "verification/checks/statistics/statistics.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::tensor::Mask;
using normproof::ref::tensor::NamedTensors;
using normproof::ref::tensor::Tensor;

/// The largest width of a certified enclosure that the tests accept for this small input.
constexpr double kNarrow = 1e-12;

TEST(Slopes, MatchHandComputationForOneSentence) {
  // Three tokens of one feature, and one position of padding, which must not count.
  Tensor<double> x = normproof::ref::tensor::full_tensor<double>({1, 4, 1}, 0);
  Mask valid = normproof::ref::tensor::full_tensor<bool>({1, 4}, true);
  const double values[] = {1, 1, -2, 1e6};
  for (std::size_t i = 0; i < 4; ++i) x.data()[i] = values[i];
  valid.data()[3] = false;
  NamedTensors<double> state;
  state.set("running_psi2", Tensor<double>{0.25});
  state.set("nu", Tensor<double>{0.0});
  state.set("iterations", Tensor<double>{4.0});
  const auto slopes = bound_lipschitz_constants(7, x, valid, state, 0.5);
  ASSERT_EQ(slopes.size(), 6u);
  for (const LipschitzAtStep& slope : slopes) {
    EXPECT_EQ(slope.step, 7u);
    EXPECT_LE(slope.at.lower, slope.at.upper);
    EXPECT_LE(slope.at.upper, slope.at.theory);
    EXPECT_LE(slope.at.upper, slope.around.upper);
    const double expected = slope.layer == "batch_norm" || slope.layer == "power_norm_v"
                                ? 1 / std::sqrt(2 + 1e-5)
                            : slope.layer == "power_norm" ? 1 / std::sqrt(0.25 + 1e-5)
                            : slope.layer == "layer_norm" ? 0
                            : slope.layer == "rms_norm"   ? 1e-5 / std::pow(1 + 1e-5, 1.5)
                                                          : 0.5 / std::cosh(0.5) / std::cosh(0.5);
    // The expected value takes six operations, including cosh and pow, each accurate to 2 u.
    const double error = 6 * 2 * 0x1p-53 * expected;
    EXPECT_LE(slope.at.lower, expected + error) << slope.layer;
    EXPECT_GE(slope.at.upper, expected - error) << slope.layer;
    EXPECT_LE(slope.at.upper - slope.at.lower, kNarrow) << slope.layer;
  }
}

TEST(Slopes, AreCertifiedAtTheFirstMiddleAndLastStep) {
  const Statistics statistics = collect_statistics(
      random_corpus(9, 7), {.d_model = 4, .batch_size = 4, .steps = 6, .warmup_steps = 1});
  ASSERT_EQ(statistics.slopes.size(), 18u);
  EXPECT_EQ(statistics.slopes[0].step, 1u);
  EXPECT_EQ(statistics.slopes[6].step, 3u);
  EXPECT_EQ(statistics.slopes[17].step, 6u);
  // At the first step PowerNorm uses the psi of the batch itself, so its slope equals that of PN-V.
  EXPECT_LE(statistics.slopes[4].at.lower, statistics.slopes[3].at.upper);
  EXPECT_LE(statistics.slopes[3].at.lower, statistics.slopes[4].at.upper);
  for (const std::size_t twin : {3, 4})
    EXPECT_LE(statistics.slopes[twin].at.upper - statistics.slopes[twin].at.lower, kNarrow);
  EXPECT_EQ(statistics.slopes[4].layer, "power_norm");
  EXPECT_NE(statistics.slopes[16].at.upper, statistics.slopes[15].at.upper);
  const Statistics one =
      collect_statistics(random_corpus(9, 7), {.d_model = 4, .batch_size = 4, .steps = 1});
  EXPECT_EQ(one.slopes.size(), 6u);
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
