#include "verification/claims/ledger/planted.hpp"

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

TEST(Planted, EveryClaimHasAnInjectedError) {
  for (const Claim& claim : ledger()) {
    SCOPED_TRACE(claim.id);
    EXPECT_FALSE(planted_for(claim.id).empty());
    for (const Planted& planted : planted_for(claim.id)) EXPECT_FALSE(planted.what.empty());
  }
  EXPECT_THROW(planted_for("Z1"), ref::numeric::UsageError);
}

// A zero error must change nothing, and an error of 1 must be rejected, for one claim of each kind.
TEST(Planted, ZeroErrorIsAcceptedAndErrorOfOneIsRejected) {
  for (const char* id : {"T2", "A3", "B4", "C10", "E1", "M1"}) {
    SCOPED_TRACE(id);
    const Planted planted = planted_for(id).front();
    const Claim& claim = claim_of(id);
    EXPECT_TRUE(evaluate(claim, {.seed = 3, .cases = 20, .subject = planted.at(0)}).as_expected);
    EXPECT_FALSE(evaluate(claim, {.seed = 3, .cases = 20, .subject = planted.at(1)}).as_expected);
  }
}

// Identities at 50 digits detect errors of 2^-140, products errors of 2^-40.
TEST(Planted, ErrorsAreDetectedDownToTheRoundingOfTheCheck) {
  EXPECT_LT(least_rejected(claim_of("B1"), planted_for("B1").front(), {.seed = 3, .cases = 20}),
            0x1p-140);
  EXPECT_LT(least_rejected(claim_of("M1"), planted_for("M1").front(), {.seed = 3, .cases = 20}),
            0x1p-40);
}

// The last error injected for E6 to E9 is a smaller exponent, which the draws detect less well than
// a larger one. E7 has the sizes of E6.
TEST(Planted, ExponentOffByATenthIsRejected) {
  for (const char* id : {"E6", "E8", "E9"}) {
    const Planted exponent = planted_for(id).back();
    SCOPED_TRACE(std::string(id) + " " + exponent.what);
    const engine::Run run{.seed = 1, .cases = 1000, .subject = exponent.at(0.1), .shrinks = false};
    EXPECT_EQ(evaluate(claim_of(id), run).evidence.observed, Verdict::refuted);
  }
}

// No injected error may be undetectable. The exponents of E6 to E9 are tested above.
TEST(Planted, ErrorOfOneIsRejectedByEveryClaim) {
  for (const Claim& claim : ledger()) {
    if (std::string_view("E6 E7 E8 E9").find(claim.id) != std::string_view::npos) continue;
    for (const Planted& planted : planted_for(claim.id)) {
      SCOPED_TRACE(claim.id + ": " + planted.what);
      const engine::Run run{.seed = 1, .cases = 100, .subject = planted.at(1), .shrinks = false};
      EXPECT_FALSE(evaluate(claim, run).as_expected);
    }
  }
}

// A control that fails for a wrong implementation must make the claim a failure, not change its
// verdict.
TEST(Planted, ControlsRejectWrongImplementations) {
  for (const char* id :
       {"B8", "B9", "B11", "B18", "C9", "C11", "C12", "C13", "D11", "E11", "F5", "M2"}) {
    SCOPED_TRACE(id);
    const engine::Run run{
        .seed = 3, .cases = 200, .subject = planted_for(id).front().at(1), .shrinks = false};
    const Result result = evaluate(claim_of(id), run);
    EXPECT_NE(result.failure.find("a control that holds"), std::string::npos) << result.failure;
  }
}

}  // namespace
}  // namespace normproof::verification::claims::ledger
