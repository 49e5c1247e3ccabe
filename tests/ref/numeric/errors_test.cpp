#include "ref/numeric/errors.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(ContractFailure, NamesFunctionArgumentAndExpectation) {
  try {
    contract_failure("layer_norm", "gamma", "has shape [4]", "shape [5]");
  } catch (const ContractError& error) {
    EXPECT_STREQ(error.what(), "layer_norm: gamma has shape [4]; expected shape [5]");
  }
  EXPECT_THROW(contract_failure("f", "x", "is bad", "good"), ContractError);
}

TEST(NotFiniteFailure, IsAContractErrorOfItsOwnKind) {
  EXPECT_THROW(not_finite_failure("f", "x", "is nan", "finite"), NotFiniteError);
  EXPECT_EQ(contract_message([] { not_finite_failure("f", "x", "is nan", "finite"); }),
            "f: x is nan; expected finite");
}

// Bit 63 of a NaN is the processor's: x86-64 sets it where 0 / 0 or inf - inf was computed.
TEST(ContractFailure, ANanHasNoSign) {
  EXPECT_EQ(contract_message([] { contract_failure("f", "x", "has [0] = -nan, [1] = -nan", "1"); }),
            "f: x has [0] = nan, [1] = nan; expected 1");
  EXPECT_EQ(contract_message([] { not_finite_failure("f", "x", "is -nan", "finite"); }),
            "f: x is nan; expected finite");
}

TEST(UnknownName, ABeginningIsNearerThanAnotherWord) {
  EXPECT_EQ(unknown_name("norm", "layer", {"none", "layer_norm_pre", "layer_norm"}),
            "unknown norm 'layer'; did you mean 'layer_norm'? known: none, layer_norm_pre, "
            "layer_norm");
  EXPECT_EQ(unknown_name("norm", "nome", {"layer_norm", "none"}),
            "unknown norm 'nome'; did you mean 'none'? known: layer_norm, none");
}

TEST(UnknownName, SaysSoWhereNothingIsKnown) {
  EXPECT_EQ(unknown_name("option", "eps", {}), "unknown option 'eps'; none is known here");
}

}  // namespace
}  // namespace normproof::ref::numeric
