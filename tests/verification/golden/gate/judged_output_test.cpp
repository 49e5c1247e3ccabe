#include "verification/golden/gate/judged_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ref/tensor/contract.hpp"
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

// `double` decides about most elements, and numbers of 100 digits about the others.
TEST(JudgedOutput, ReportsTheLargestRatioAndEveryFailureOfTheExactComparison) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
    const StoredCase stored = certified(plain_recipe("layer_norm", {20, 16}, dtype).make(1));
    const tolerance::Tolerance bounds =
        tolerance::derive_tolerance(stored.description.c, corpus::usual_accumulation(dtype));
    for (const double scale : {0.0, 0x1p-54, 0x1p-26, 0x1p-20, 0x1p-7}) {
      std::vector<StoredTensor> answer = reference_output(stored);
      for (StoredTensor& tensor : answer) {
        if (tensor.name != "y") continue;
        std::vector<double> values = ref::io::widen(tensor);
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] *= 1 + scale * std::sin(static_cast<double>(i * i));
        tensor = make_stored_tensor("y", DType::float64, tensor.shape, values);
      }
      const std::vector<double> ratios = error_to_bound_ratios(stored, answer, "y", bounds);
      const TensorResult result = judge_output(stored, answer, "y", bounds, false);
      std::vector<std::size_t> failed;
      for (std::size_t i = 0; i < ratios.size(); ++i)
        if (ratios[i] > 1) failed.push_back(i);
      EXPECT_EQ(result.failed, failed) << scale;
      EXPECT_DOUBLE_EQ(result.ratio, *std::ranges::max_element(ratios)) << scale;
      const auto worst = std::ranges::max_element(ratios) - ratios.begin();
      EXPECT_EQ(result.where, ref::tensor::index_to_string(static_cast<std::size_t>(worst),
                                                           find(stored.expected, "y")->shape))
          << scale;
    }
  }
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
