#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "ref/io/atomic_file.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;
namespace {

using namespace engine;

TEST(ClaimLedger, ContainsEveryClaimInOrder) {
  std::vector<std::string> expected;
  for (const auto& [letter, count] : {std::pair{'T', 5},
                                      {'A', 13},
                                      {'B', 18},
                                      {'C', 16},
                                      {'D', 13},
                                      {'E', 15},
                                      {'F', 5},
                                      {'L', 5},
                                      {'M', 2}})
    for (int i = 1; i <= count; ++i) expected.push_back(letter + std::to_string(i));
  std::vector<std::string> got;
  for (const Claim& claim : ledger()) got.push_back(claim.id);
  EXPECT_EQ(got, expected);
}

TEST(ClaimLedger, EveryClaimIsComplete) {
  for (const Claim& claim : ledger()) {
    SCOPED_TRACE(claim.id);
    EXPECT_FALSE(claim.title.empty());
    EXPECT_FALSE(claim.statement.empty());
    EXPECT_FALSE(claim.source.empty());
    EXPECT_FALSE(claim.assumptions.empty());
    EXPECT_EQ(claim.dropped.empty(), claim.expected == Verdict::holds);
    EXPECT_TRUE(claim.check);
    EXPECT_EQ(claim.statement.find('\n'), std::string::npos);
  }
}

TEST(ClaimLedger, ReadmeHasTheNumbersOfClaims) {
  const auto hold = std::ranges::count(ledger(), Verdict::holds, &Claim::expected);
  const std::string readme = ref::io::read_text(NORMPROOF_README);
  EXPECT_THAT(readme,
              testing::HasSubstr(fmt::format("PASSED: {} claims as expected ({} hold, {} refuted",
                                             ledger().size(), hold, std::ssize(ledger()) - hold)));
  EXPECT_THAT(readme, testing::HasSubstr(fmt::format("for every size prove {} and disprove {} (",
                                                     hold, std::ssize(ledger()) - hold)));
}

class EveryClaim : public testing::TestWithParam<std::string> {};

// Even with few cases, every claim must have its expected verdict and readable evidence.
TEST_P(EveryClaim, HasItsExpectedVerdict) {
  for (const Claim& claim : ledger()) {
    if (claim.id != GetParam()) continue;
    const Result result = evaluate(claim, {.seed = 7, .cases = 40});
    EXPECT_TRUE(result.as_expected) << result.failure << result.evidence.counterexample;
    EXPECT_GE(result.evidence.cases, 40u);
    EXPECT_EQ(result.evidence.seed, 7u);
    EXPECT_FALSE(result.evidence.worst_meaning.empty());
    if (claim.expected == Verdict::holds) {
      EXPECT_EQ(result.evidence.violations, 0u);
      EXPECT_LE(result.evidence.worst, 1);
      EXPECT_TRUE(result.evidence.counterexample.empty());
    } else {
      EXPECT_GE(result.evidence.violations, 1u);
      EXPECT_FALSE(result.evidence.counterexample.empty());
    }
  }
}

std::vector<std::string> list_claim_ids() {
  std::vector<std::string> ids;
  for (const Claim& claim : ledger()) ids.push_back(claim.id);
  return ids;
}

std::string make_test_name(const testing::TestParamInfo<std::string>& parameter) {
  return parameter.param;
}

INSTANTIATE_TEST_SUITE_P(, EveryClaim, testing::ValuesIn(list_claim_ids()), make_test_name);

}  // namespace
}  // namespace normproof::verification::claims::ledger
