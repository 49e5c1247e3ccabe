#include "verification/golden/gate/judged_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::Pair;

/// The output rstd of LayerNorm for two rows: (1, 3), and a row with NaN.
struct RstdSample {
  StoredCase stored = certified(
      plain_recipe("layer_norm", {3, 2}, DType::float32)
          .option("eps", "0.5")
          .x([](std::size_t i, double) { return i == 4 ? kGoldenNaN : double(2 * i + 1); })
          .make(1));
  std::vector<StoredTensor> answer = reference_output(stored);
  tolerance::Tolerance bounds =
      tolerance::derive_tolerance(stored.description.c, Accumulation::float32);

  JudgedOutput output() const { return {stored, answer, "rstd", bounds}; }
};

TEST(JudgedOutput, GivesAVerdictOnEachElement) {
  using enum ElementVerdict;
  const RstdSample asked;
  const JudgedOutput rstd = asked.output();
  ASSERT_EQ(rstd.size(), 3u);
  const float nearest = 0.8164966F;  // 1/sqrt(1.5)
  EXPECT_EQ(rstd.verdict(0, nearest), right);
  EXPECT_EQ(rstd.verdict(0, std::nextafter(nearest, 1.0F)), within);
  for (const double wrong : {0.0, -0.816496, 0.8165, 12345.0, kGoldenNaN, kGoldenInfinity})
    EXPECT_EQ(rstd.verdict(0, wrong), refused) << wrong;
  EXPECT_EQ(rstd.verdict(2, kGoldenNaN), right);
  EXPECT_EQ(rstd.verdict(2, -kGoldenInfinity), right);
  EXPECT_EQ(rstd.verdict(2, 0), refused);
}

TEST(JudgedOutput, DoesNotJudgeElementsWithAnInfiniteBound) {
  RstdSample asked;
  asked.bounds.bound.at("rstd").data()[1] = kGoldenInfinity;
  EXPECT_EQ(asked.output().verdict(1, kGoldenNaN), ElementVerdict::unjudged);
  EXPECT_EQ(asked.output().verdict(0, kGoldenNaN), ElementVerdict::refused);
}

TEST(JudgedOutput, VerdictOnAnElementEqualsThatOnTheWholeOutput) {
  RstdSample asked;
  asked.bounds.bound.at("rstd").data()[1] = kGoldenInfinity;
  std::vector<std::pair<float, std::vector<std::size_t>>> failed;
  for (const double value : {0.0, round_to_dtype(DType::float32, 0.8164966), kGoldenNaN}) {
    std::vector<std::size_t> refused;
    for (std::size_t i = 0; i < 3; ++i) {
      const JudgedOutput rstd = asked.output();
      const std::vector<StoredTensor> other = replace_element(asked.answer, "rstd", i, value);
      const TensorResult result = judge_output(asked.stored, other, "rstd", asked.bounds, false);
      const bool is_refused = rstd.verdict(i, value) == ElementVerdict::refused;
      EXPECT_EQ(is_refused, !result.passed()) << value << " at " << i;
      if (is_refused) refused.push_back(i);
    }
    failed.emplace_back(value == value ? static_cast<float>(value) : -1, refused);
  }
  EXPECT_THAT(failed,
              ElementsAre(Pair(0, ElementsAre(0, 2)), Pair(FloatEq(0.8164966F), ElementsAre(2)),
                          Pair(-1, ElementsAre(0))));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
