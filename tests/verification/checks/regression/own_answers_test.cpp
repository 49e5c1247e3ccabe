#include "verification/checks/regression/own_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/ref/io/temporary_folder.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::checks::regression {
namespace {

/// Tests cases of every layer in all dtypes, including NaN and sequences.
TEST(OwnAnswers, PassTheGate) {
  const tests::ref::io::TemporaryFolder folder;
  int next = 0;
  for (const char* only : {"quick/*/two_features-*", "quick/*/nan_in_x-*", "quick/*/steps-*"}) {
    const auto place = folder / std::to_string(next++);
    golden::certify::make_corpus(place, {.only = only});
    const auto cases = golden::certify::list_corpus(place, "*");
    for (const auto& result : golden::gate::check_cases(place, cases, own_candidate(), {}, 1, {}))
      EXPECT_TRUE(result.passed()) << result.description.path << result.problem;
  }
}

TEST(OwnAnswers, DeclineCaseWithoutResult) {
  const tests::ref::io::TemporaryFolder folder;
  golden::certify::make_corpus(folder / "g", {.only = "quick/layer_norm/nan_in_x-*"});
  const auto cases = golden::certify::list_corpus(folder / "g", "*");
  const auto none = double_candidate([](const auto&, const auto&) { return std::nullopt; });
  EXPECT_FALSE(none(golden::certify::read_case(folder / "g", cases.at(0))).has_value());
}

TEST(OwnAnswers, PropagateNaN) {
  const tests::ref::io::TemporaryFolder folder;
  golden::certify::make_corpus(folder / "g", {.only = "quick/layer_norm/nan_in_x-*"});
  const auto cases = golden::certify::list_corpus(folder / "g", "*");
  const auto answer =
      own_candidate()(golden::certify::read_case(folder / "g", cases.at(0))).value();
  const auto y = ref::io::widen(*golden::corpus::find(answer, "y"));
  const auto is_nan = [](double x) { return std::isnan(x); };
  EXPECT_TRUE(std::ranges::any_of(y, is_nan));
  EXPECT_FALSE(std::ranges::all_of(y, is_nan));
}

}  // namespace
}  // namespace normproof::verification::checks::regression
