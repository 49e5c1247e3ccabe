#include "verification/golden/gate/value_injection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;

tolerance::Tolerance derive_bounds(const StoredCase& stored) {
  return tolerance::derive_tolerance(stored.description.c,
                                     corpus::usual_accumulation(stored.description.c.dtype));
}

TEST(InjectedValues, AreRejectedIfWrong) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  const InjectionResult planted =
      inject_values(stored, reference_output(stored), derive_bounds(stored));
  // The outputs are y, grad_x, grad_gamma, grad_beta, mean and rstd.
  EXPECT_THAT(planted.of, SizeIs(4));
  for (const auto& [value, count] : planted.of) EXPECT_EQ(count.elements, 46u) << value;
  EXPECT_EQ(planted.total().refused, 4u * 46);
  EXPECT_TRUE(planted.all_refused());
}

TEST(InjectedValues, AreNotCountedAsWrongIfTheyAreCorrect) {
  const StoredCase stored =
      certified(plain_recipe("layer_norm", {2, 3}, DType::float32)
                    .x([](std::size_t i, double normal) { return i == 4 ? kGoldenNaN : normal; })
                    .grad_y([](std::size_t i, double normal) { return i < 3 ? 0 : normal; })
                    .make(1));
  const InjectionResult planted =
      inject_values(stored, reference_output(stored), derive_bounds(stored));
  EXPECT_TRUE(planted.all_refused());
  // NaN and infinity are correct in the second row of y and grad_x, in the statistics of that row,
  // and in the gradient of gamma.
  EXPECT_EQ(planted.of.at("NaN").right, 11u);
  EXPECT_EQ(planted.of.at("infinity").right, 11u);
  // 0 is correct in the first row of grad_x.
  EXPECT_EQ(planted.of.at("0").right, 3u);
  EXPECT_EQ(planted.of.at("12345").right, 0u);
  const InjectionCounts all = planted.total();
  EXPECT_EQ(all.refused + all.right, all.elements);
}

TEST(InjectedValues, AreCountedSeparatelyIfWithinTheBound) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  tolerance::Tolerance bounds = derive_bounds(stored);
  bounds.bound.at("grad_beta").fill(20000);
  const InjectionResult planted = inject_values(stored, reference_output(stored), bounds);
  EXPECT_TRUE(planted.all_refused());
  EXPECT_EQ(planted.of.at("0").within, 5u);
  EXPECT_EQ(planted.of.at("12345").within, 5u);
  EXPECT_EQ(planted.of.at("NaN").within, 0u);
  EXPECT_EQ(planted.total().refused, 4u * 46 - 10);
}

TEST(InjectedValues, AreAllMissedIfTheBoundIsInfinite) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  tolerance::Tolerance bounds = derive_bounds(stored);
  bounds.bound.at("grad_beta").fill(kGoldenInfinity);
  const InjectionResult planted = inject_values(stored, reference_output(stored), bounds);
  EXPECT_FALSE(planted.all_refused());
  EXPECT_EQ(planted.total().unjudged, 4u * 5);
  EXPECT_THAT(planted.missed, SizeIs(4));
  EXPECT_THAT(planted.missed.front(), HasSubstr("grad_beta of quick/layer_norm/"));
}

TEST(InjectedValues, AreReportedAsMissedInAWrongOutput) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  const InjectionResult planted = inject_values(
      stored, replace_element(reference_output(stored), "y", 7, 9), derive_bounds(stored));
  EXPECT_THAT(planted.missed,
              ElementsAre("quick/layer_norm/sample-3x5-float32: the answer itself is refused"));
}

/// Returns one case of at most 64 elements for each operation and dtype of the committed corpus.
/// The tests use the expected tensors as the output.
std::vector<StoredCase> small_cases() {
  const std::filesystem::path folder = NORMPROOF_SOURCE_DIR "/verification/golden/data";
  std::vector<StoredCase> cases;
  std::set<std::pair<std::string, DType>> seen;
  for (const CaseDescription& description : certify::list_corpus(folder, {})) {
    const std::pair key{corpus::case_operation_name(description.c), description.c.dtype};
    if (seen.contains(key)) continue;
    StoredCase stored = certify::read_case(folder, description);
    std::size_t elements = 0;
    for (const StoredTensor& tensor : stored.expected)
      elements += tensor.name.ends_with("_lo") ? 0 : ref::io::widen(tensor).size();
    if (elements > 64) continue;
    seen.insert(key);
    cases.push_back(std::move(stored));
  }
  return cases;
}

/// Replaces each element in turn by each injected value, and counts the outputs that fail.
std::size_t count_failing_outputs(const StoredCase& stored, const std::vector<StoredTensor>& right,
                                  const tolerance::Tolerance& bounds) {
  std::size_t failing = 0;
  for (const StoredTensor& tensor : right) {
    std::vector<double> values = {kGoldenNaN, kGoldenInfinity, 0, 12345};
    if (tensor.dtype == DType::int64) values = {0, 12345};
    if (tensor.dtype == DType::int8) values = {0, -128, 127};
    if (tensor.dtype == DType::float4_e2m1fn) values = {0, -6, 6};
    const bool scales = tensor.dtype == DType::float8_e8m0fnu;
    if (scales) values = {kGoldenNaN, 0x1p-127, 0x1p127};
    for (std::size_t i = 0; i < ref::io::widen(tensor).size(); ++i)
      for (const double value : values) {
        // The code -128 is outside the range of rounding.
        const double stored_value =
            tensor.dtype == DType::int8 ? value : round_to_dtype(tensor.dtype, value);
        const CaseResult result =
            check_case(stored, replace_element(right, tensor.name, i, stored_value), {}, bounds);
        // If a scale changes, the expected elements of its block change too.
        const auto of_it = std::ranges::find(result.tensors, tensor.name, &TensorResult::name);
        failing += (scales ? of_it->passed() : result.passed()) ? 0 : 1;
      }
  }
  return failing;
}

TEST(InjectedValues, HaveTheVerdictsOfACheckOfTheWholeCase) {
  const std::vector<StoredCase> cases = small_cases();
  EXPECT_THAT(cases, SizeIs(Ge(60)));
  for (const StoredCase& stored : cases) {
    std::vector<StoredTensor> right = stored.expected;
    std::erase_if(right, [](const StoredTensor& t) { return t.name.ends_with("_lo"); });
    const tolerance::Tolerance bounds = derive_bounds(stored);
    const InjectionResult planted = inject_values(stored, right, bounds);
    EXPECT_TRUE(planted.all_refused()) << testing::PrintToString(planted.missed);
    EXPECT_EQ(planted.total().refused, count_failing_outputs(stored, right, bounds))
        << stored.description.path;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::gate
