#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "tests/meta/broken_kernels/fault.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::tests::broken_kernels {

using namespace verification::claims::engine;
using verification::claims::ledger::ledger;

namespace {

std::vector<Fault> all_faults() {
  std::vector<Fault> faults = one_step_faults();
  for (const auto& more : {power_norm_faults(), encoder_faults(), dyt_faults()})
    faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

std::string make_test_name(const testing::TestParamInfo<Fault>& parameter) {
  std::string name =
      fmt::format("{:03}_{}_{}", parameter.index, parameter.param.claim, parameter.param.what);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class BrokenKernel : public testing::TestWithParam<Fault> {};

// The broken implementation must change the verdict by its results, not by throwing an exception.
TEST_P(BrokenKernel, ChangesTheVerdictOfItsClaim) {
  const Fault& fault = GetParam();
  const auto& claims = ledger();
  const auto claim = std::find_if(claims.begin(), claims.end(),
                                  [&](const Claim& c) { return c.id == fault.claim; });
  ASSERT_NE(claim, claims.end()) << "no claim " << fault.claim;
  const Result result =
      evaluate(*claim, {.seed = 20260101, .cases = 100, .subject = fault.subject});
  EXPECT_EQ(result.failure, "") << fault.what;
  EXPECT_NE(result.evidence.observed, claim->expected)
      << "claim " << fault.claim << " does not see this fault: " << fault.what;
}

INSTANTIATE_TEST_SUITE_P(, BrokenKernel, testing::ValuesIn(all_faults()), make_test_name);

TEST(BrokenKernels, ExistForEveryClaim) {
  std::set<std::string> claims_with_faults;
  for (const Fault& fault : all_faults()) claims_with_faults.insert(fault.claim);
  for (const Claim& claim : ledger())
    EXPECT_TRUE(claims_with_faults.count(claim.id) == 1)
        << "claim " << claim.id << " has no planted fault";
}

}  // namespace
}  // namespace normproof::tests::broken_kernels
