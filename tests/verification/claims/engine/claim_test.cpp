#include "verification/claims/engine/claim.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::claims::engine {
namespace {

Claim make_claim_with_check(Verdict expected, std::function<Evidence(const Run&)> check) {
  return {.id = "X1", .expected = expected, .check = std::move(check)};
}

Claim make_claim_with_verdicts(Verdict expected, Verdict observed) {
  return make_claim_with_check(expected, [observed](const Run& r) {
    return Evidence{.observed = observed, .cases = r.cases, .seed = r.seed};
  });
}

TEST(EvaluateClaim, ComparesTheVerdictWithTheExpectedOne) {
  for (const Verdict expected : {Verdict::holds, Verdict::refuted}) {
    for (const Verdict observed : {Verdict::holds, Verdict::refuted}) {
      const Result result = evaluate(make_claim_with_verdicts(expected, observed), {.cases = 3});
      EXPECT_EQ(result.id, "X1");
      EXPECT_EQ(result.failure, "");
      EXPECT_EQ(result.as_expected, expected == observed);
    }
  }
}

TEST(EvaluateClaim, ExceptionIsAFailureThatNamesTheClaim) {
  const Result result = evaluate(make_claim_with_check(Verdict::refuted,
                                                       [](const engine::Run&) -> Evidence {
                                                         throw std::runtime_error("no such state");
                                                       }),
                                 {.seed = 9});
  EXPECT_FALSE(result.as_expected);
  EXPECT_EQ(result.failure, "claim X1: its check threw: no such state");
  EXPECT_EQ(result.evidence.seed, 9u);
}

TEST(EvaluateClaim, SentenceOfAContractErrorHasNoClauseNumber) {
  const Result result =
      evaluate(make_claim_with_check(Verdict::holds,
                                     [](const engine::Run&) -> Evidence {
                                       ref::numeric::contract_failure("f", "x", "is 0", "1",
                                                                      ref::numeric::Clause::C2);
                                     }),
               {});
  EXPECT_EQ(result.failure, "claim X1: its check threw: f: x is 0; expected 1");
}

TEST(EvaluateClaim, AnyThrownValueIsAFailure) {
  const Result result = evaluate(
      make_claim_with_check(Verdict::refuted, [](const engine::Run&) -> Evidence { throw 1; }), {});
  EXPECT_FALSE(result.as_expected);
  EXPECT_NE(result.failure.find("claim X1"), std::string::npos);
}

TEST(EvaluateClaim, ZeroCasesTriedIsAFailure) {
  const Result result =
      evaluate(make_claim_with_verdicts(Verdict::holds, Verdict::holds), {.cases = 0});
  EXPECT_FALSE(result.as_expected);
  EXPECT_EQ(result.failure, "claim X1: its check tried no case");
}

TEST(EvaluateClaim, PassesTheClaimIdToTheCheck) {
  const Result result = evaluate(make_claim_with_check(Verdict::holds,
                                                       [](const engine::Run& r) {
                                                         return Evidence{.observed = Verdict::holds,
                                                                         .cases = 1,
                                                                         .detail = r.claim};
                                                       }),
                                 {});
  EXPECT_EQ(result.evidence.detail, "X1");
}

TEST(ClaimSubject, IsTheReferenceUnlessReplaced) {
  const NormOptions options = ref::model::LayerNormOptions{.eps = 0};
  NormInputs<double> in;
  in.x = {{1.0, 3.0}};
  TestedImplementation subject;
  EXPECT_EQ(subject.step<double>(options, in).outputs.at("y").data()[1], 1.0);
  subject.step_double = [](const auto&, const auto&, const auto&) -> NormStep<double> {
    ref::numeric::contract_failure("step", "it", "is replaced", "the reference");
  };
  EXPECT_THROW(subject.step<double>(options, in), ref::numeric::ContractError);
}

TEST(ClaimSubject, StartsFromTheInitialStateOfTheLayer) {
  NormInputs<oracle50> in;
  in.x = ref::tensor::full_tensor<oracle50>({2, 3}, 2);
  const auto step =
      TestedImplementation().step<oracle50>(ref::model::PowerNormOptions{.eps = 0}, in);
  EXPECT_TRUE(step.outputs.at("y").data()[0] == 2);  // running_psi2 was 1
  EXPECT_TRUE(step.state.at("iterations").data()[0] == 1);
}

}  // namespace
}  // namespace normproof::verification::claims::engine
