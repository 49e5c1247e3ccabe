#include "verification/golden/candidate/double_candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/ref/io/temporary_folder.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/gate/check_cases.hpp"

namespace normproof::verification::golden::candidate {
namespace {

/// The cases cover every layer, all dtypes, NaN, and sequences of steps.
TEST(ReferenceCandidate, PassesTheGate) {
  const tests::ref::io::TemporaryFolder folder;
  int next = 0;
  for (const char* only : {"quick/*/two_features-*", "quick/*/nan_in_x-*", "quick/*/steps-*"}) {
    const auto place = folder / std::to_string(next++);
    certify::make_corpus(place, {.only = only});
    const auto cases = certify::list_corpus(place, "*");
    for (const auto& result : gate::check_cases(place, cases, reference_candidate(), {}, 1, {}))
      EXPECT_TRUE(result.passed()) << result.description.path << result.problem;
  }
}

TEST(ReferenceCandidate, DeclinesACaseWithoutOutputs) {
  const tests::ref::io::TemporaryFolder folder;
  certify::make_corpus(folder / "g", {.only = "quick/layer_norm/nan_in_x-*"});
  const auto cases = certify::list_corpus(folder / "g", "*");
  const auto none = double_candidate([](const auto&, const auto&) { return std::nullopt; });
  EXPECT_TRUE(none(certify::read_case(folder / "g", cases.at(0))).is_declined());
}

TEST(ReferenceCandidate, ReturnsNaNInTheElementsThatDependOnNaN) {
  const tests::ref::io::TemporaryFolder folder;
  certify::make_corpus(folder / "g", {.only = "quick/layer_norm/nan_in_x-*"});
  const auto cases = certify::list_corpus(folder / "g", "*");
  const auto answer =
      reference_candidate()(certify::read_case(folder / "g", cases.at(0))).tensors();
  const auto y = ref::io::widen(*corpus::find(answer, "y"));
  const auto is_nan = [](double x) { return std::isnan(x); };
  EXPECT_TRUE(std::ranges::any_of(y, is_nan));
  EXPECT_FALSE(std::ranges::all_of(y, is_nan));
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
