#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/museum/kernel_case.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::museum {
namespace {

/// Returns the exhibits with wrong scales. The exhibits of quantize and dequantize have wrong
/// elements, and some of them with every kind of scale.
std::vector<Exhibit> exhibits_of_scales() {
  std::vector<Exhibit> exhibits = scaled_exhibits();
  std::erase_if(exhibits,
                [](const Exhibit& exhibit) { return recipes::is_quantization(exhibit.op); });
  return exhibits;
}

std::size_t count_wrong_answers(const Exhibit& exhibit, const std::vector<Case>& cases) {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [&](const Case& c) {
    return !gate::check_case(certify::certify_case(c), exhibit.run(c, {}), {}).passed();
  }));
}

std::vector<Case> cases_of(const Exhibit& exhibit, corpus::OutputScaling scaling) {
  std::vector<Case> cases =
      recipes::scaled_cases(corpus::Tier::quick, exhibit.op, recipes::kCorpusSeed);
  std::erase_if(cases, [&](const Case& c) {
    return c.dtype != exhibit.dtype || corpus::output_scaling(c, "y") != scaling;
  });
  return cases;
}

TEST(ScaledExhibits, AnswerCasesWithOneScaleRightly) {
  for (const Exhibit& exhibit : exhibits_of_scales())
    for (const Case& c : cases_of(exhibit, corpus::OutputScaling::given))
      EXPECT_EQ(exhibit.run(c, {}), run_with_mutation(c, {}))
          << exhibit.name << ' ' << case_folder(c);
}

TEST(ScaledExhibits, ReturnElementsThatFitTheirWrongScales) {
  for (const Exhibit& exhibit : exhibits_of_scales()) {
    // The wrong scales of groups are 0, or depend on memory.
    if (exhibit.name == "zeros_over_zero" || exhibit.name == "lanes_behind_the_row") continue;
    std::size_t wrong = 0;
    for (const Case& c : cases_of(exhibit, corpus::OutputScaling::blocks)) {
      const gate::CaseResult result =
          gate::check_case(certify::certify_case(c), exhibit.run(c, {}), {.outputs = {"y"}});
      EXPECT_TRUE(result.passed()) << exhibit.name << ' ' << case_folder(c);
      if (!gate::check_case(certify::certify_case(c), exhibit.run(c, {}), {}).passed()) ++wrong;
    }
    EXPECT_GT(wrong, 0u) << exhibit.name;
  }
}

TEST(ScaledExhibits, ThoseOf4BitsReturnWrongAnswers) {
  std::size_t exhibits = 0;
  for (const Exhibit& exhibit : scaled_exhibits()) {
    const bool is_of_4_bits = exhibit.op == "dequantize" || exhibit.dtype == DType::float4_e2m1fn;
    if (!is_of_4_bits) continue;
    ++exhibits;
    std::size_t wrong = 0;
    for (const auto scaling : {corpus::OutputScaling::none, corpus::OutputScaling::blocks,
                               corpus::OutputScaling::blocks_of_tensor})
      wrong += count_wrong_answers(exhibit, cases_of(exhibit, scaling));
    EXPECT_GT(wrong, 0u) << exhibit.name;
  }
  EXPECT_EQ(exhibits, 6u);
}

TEST(ScaledExhibits, ThoseOfQuantizeReturnRightScalesAndWrongElements) {
  for (const Exhibit& exhibit : scaled_exhibits()) {
    if (exhibit.op != "quantize" || exhibit.dtype == DType::float4_e2m1fn) continue;
    std::size_t wrong = 0;
    for (const Case& c : cases_of(exhibit, corpus::OutputScaling::groups)) {
      const certify::StoredCase stored = certify::certify_case(c);
      EXPECT_TRUE(gate::check_case(stored, exhibit.run(c, {}), {.outputs = {"y_scale"}}).passed())
          << exhibit.name << ' ' << case_folder(c);
      if (!gate::check_case(stored, exhibit.run(c, {}), {}).passed()) ++wrong;
    }
    wrong += count_wrong_answers(exhibit, cases_of(exhibit, corpus::OutputScaling::given));
    EXPECT_GT(wrong, 0u) << exhibit.name;
  }
}

TEST(ScaledExhibits, TheScaleToTheNearestPowerPassesIfItIsDeclared) {
  const std::vector<Exhibit> exhibits = scaled_exhibits();
  const Exhibit& nearest = *std::ranges::find(exhibits, "scale_to_nearest", &Exhibit::name);
  for (const Case& c : cases_of(nearest, corpus::OutputScaling::blocks))
    EXPECT_TRUE(gate::check_case(certify::certify_case(c), nearest.run(c, {}),
                                 {.scale_rounding = corpus::ScaleRounding::nearest})
                    .passed())
        << case_folder(c);
}

}  // namespace
}  // namespace normproof::verification::golden::museum
