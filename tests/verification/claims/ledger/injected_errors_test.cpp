#include "verification/claims/ledger/injected_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/errors.hpp"
#include "verification/claims/engine/power.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;
namespace {

using namespace engine;

const Claim& claim_of(std::string_view id) {
  for (const Claim& claim : ledger())
    if (claim.id == id) return claim;
  throw ref::numeric::UsageError("no claim");
}

TEST(InjectedErrors, ExistForEveryClaim) {
  for (const Claim& claim : ledger()) {
    SCOPED_TRACE(claim.id);
    EXPECT_FALSE(injected_errors_for(claim.id).empty());
    for (const InjectedError& planted : injected_errors_for(claim.id))
      EXPECT_FALSE(planted.what.empty());
  }
  EXPECT_THROW(injected_errors_for("Z1"), ref::numeric::UsageError);
}

// For one claim of each kind: an injected error of 0 must change nothing, and an error of 1 must be
// rejected.
TEST(InjectedErrors, ZeroErrorIsAcceptedAndErrorOfOneIsRejected) {
  for (const char* id : {"T2", "A3", "B4", "C10", "E1", "M1"}) {
    SCOPED_TRACE(id);
    const InjectedError planted = injected_errors_for(id).front();
    const Claim& claim = claim_of(id);
    EXPECT_TRUE(evaluate(claim, {.seed = 3, .cases = 20, .subject = planted.at(0)}).as_expected);
    EXPECT_FALSE(evaluate(claim, {.seed = 3, .cases = 20, .subject = planted.at(1)}).as_expected);
  }
}

// Claims that are checked as identities at 50 digits detect errors of 2^-140. Claims about products
// in double detect errors of 2^-40.
TEST(InjectedErrors, ErrorsAreDetectedDownToTheRoundingOfTheCheck) {
  EXPECT_LT(smallest_rejected_error(claim_of("B1"), injected_errors_for("B1").front(),
                                    {.seed = 3, .cases = 20}),
            0x1p-140);
  EXPECT_LT(smallest_rejected_error(claim_of("M1"), injected_errors_for("M1").front(),
                                    {.seed = 3, .cases = 20}),
            0x1p-40);
}

// The last error injected into E6, E8 and E9 is an exponent that is too small. The draws detect it
// less well than an exponent that is too large. E7 has the same sizes as E6.
TEST(InjectedErrors, ExponentOffByATenthIsRejected) {
  for (const char* id : {"E6", "E8", "E9"}) {
    const InjectedError exponent = injected_errors_for(id).back();
    SCOPED_TRACE(std::string(id) + " " + exponent.what);
    const engine::Run run{.seed = 1, .cases = 1000, .subject = exponent.at(0.1), .shrinks = false};
    EXPECT_EQ(evaluate(claim_of(id), run).evidence.observed, Verdict::refuted);
  }
}

// An injected error of 1 must be detected. The test above covers the exponents of E6 to E9.
TEST(InjectedErrors, ErrorOfOneIsRejectedByEveryClaim) {
  for (const Claim& claim : ledger()) {
    if (std::string_view("E6 E7 E8 E9").find(claim.id) != std::string_view::npos) continue;
    for (const InjectedError& planted : injected_errors_for(claim.id)) {
      SCOPED_TRACE(claim.id + ": " + planted.what);
      const engine::Run run{.seed = 1, .cases = 100, .subject = planted.at(1), .shrinks = false};
      EXPECT_FALSE(evaluate(claim, run).as_expected);
    }
  }
}

// A control is a statement that must hold for every correct implementation. If it fails, the check
// of the claim must fail; it must not change the verdict of the claim.
TEST(InjectedErrors, ControlsRejectWrongImplementations) {
  for (const char* id :
       {"B8", "B9", "B11", "B18", "C9", "C11", "C12", "C13", "D11", "E11", "F5", "M2"}) {
    SCOPED_TRACE(id);
    const engine::Run run{.seed = 3,
                          .cases = 200,
                          .subject = injected_errors_for(id).front().at(1),
                          .shrinks = false};
    const Result result = evaluate(claim_of(id), run);
    EXPECT_NE(result.failure.find("a control that holds"), std::string::npos) << result.failure;
  }
}

}  // namespace
}  // namespace normproof::verification::claims::ledger
