#include "ref/numeric/errors.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::numeric {
namespace {

ContractError catch_contract_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const ContractError& error) {
    return error;
  }
  return ContractError({.observation = "no error"});
}

TEST(ContractFailure, MessageNamesFunctionArgumentAndExpectation) {
  const ContractError error = catch_contract_error(
      [] { contract_failure("layer_norm", "gamma", "has shape [4]", "shape [5]"); });
  EXPECT_STREQ(error.what(), "layer_norm: gamma has shape [4]; expected shape [5]");
  EXPECT_EQ(error.violation(),
            (ContractViolation{"layer_norm", "gamma", "has shape [4]", "shape [5]"}));
}

TEST(ContractFailure, ClauseIsInTheExceptionTextButNotInTheSentence) {
  const ContractError error = catch_contract_error(
      [] { contract_failure("dropout", "rate", "is 2", "0 <= rate < 1", Clause::C12); });
  EXPECT_STREQ(error.what(), "dropout: rate is 2; expected 0 <= rate < 1 (C12)");
  EXPECT_EQ(error.violation().clause, Clause::C12);
  EXPECT_EQ(sentence(error.violation()), "dropout: rate is 2; expected 0 <= rate < 1");
  EXPECT_EQ(static_cast<int>(Clause::C16), 16);
}

TEST(ViolationSentence, StartsWithTheLocationAndOmitsEmptyParts) {
  EXPECT_EQ(sentence({"softmax", "x", "is inf", "finite values", Clause::C2, "sentence 3"}),
            "sentence 3: softmax: x is inf; expected finite values");
  EXPECT_EQ(sentence({.observation = "unknown tensor 'y'"}), "unknown tensor 'y'");
}

TEST(NotFiniteFailure, ThrowsASubclassOfContractError) {
  EXPECT_THROW(not_finite_failure("f", "x", "is nan", "finite"), NotFiniteError);
  const ContractError error =
      catch_contract_error([] { not_finite_failure("f", "x", "is nan", "finite", Clause::C4); });
  EXPECT_STREQ(error.what(), "f: x is nan; expected finite (C4)");
}

// An x86-64 processor sets the sign bit of the NaN that 0 / 0 or inf - inf gives.
TEST(ContractFailure, PrintsNanWithoutASign) {
  EXPECT_EQ(contract_message([] { contract_failure("f", "x", "has [0] = -nan, [1] = -nan", "1"); }),
            "f: x has [0] = nan, [1] = nan; expected 1");
  EXPECT_EQ(contract_message([] { not_finite_failure("f", "x", "is -nan", "finite"); }),
            "f: x is nan; expected finite");
}

TEST(UnknownNameMessage, PrefersANameThatBeginsWithTheGivenText) {
  EXPECT_EQ(unknown_name("norm", "layer", {"none", "layer_norm_pre", "layer_norm"}),
            "unknown norm 'layer'; did you mean 'layer_norm'? known: none, layer_norm_pre, "
            "layer_norm");
  EXPECT_EQ(unknown_name("norm", "nome", {"layer_norm", "none"}),
            "unknown norm 'nome'; did you mean 'none'? known: layer_norm, none");
}

TEST(UnknownNameMessage, SuggestsOnlySimilarNames) {
  EXPECT_EQ(unknown_name("norm", "transformer", {"layer_norm", "none"}),
            "unknown norm 'transformer'; known: layer_norm, none");
  EXPECT_EQ(unknown_name("norm", "batchnorm", {"layer_norm", "batch_norm"}),
            "unknown norm 'batchnorm'; did you mean 'batch_norm'? known: layer_norm, batch_norm");
}

TEST(UnknownNameMessage, IgnoresLeadingDashes) {
  EXPECT_EQ(unknown_name("option", "--eps", {"--in", "--set"}),
            "unknown option '--eps'; known: --in, --set");
  EXPECT_EQ(unknown_name("option", "-jbos", {"--in", "--jobs"}),
            "unknown option '-jbos'; did you mean '--jobs'? known: --in, --jobs");
}

TEST(UnknownNameMessage, SaysThatNoNameIsKnown) {
  EXPECT_EQ(unknown_name("option", "eps", {}), "unknown option 'eps'; none is known here");
}

TEST(ClauseOf, ReturnsTheClauseAtTheBeginningOfATestName) {
  EXPECT_EQ(parse_clause("C2EpsIsBelowZero"), Clause::C2);
  EXPECT_EQ(parse_clause("C12"), Clause::C12);
  for (const char* name : {"C1AndC2AreOfShapes", "C1toC4Hold", "CasesAreNone", "EpsC2", "C", ""})
    EXPECT_EQ(parse_clause(name), Clause::none) << name;
}

}  // namespace
}  // namespace normproof::ref::numeric
