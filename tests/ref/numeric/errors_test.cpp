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

TEST(UnknownName, SaysSoWhereNothingIsKnown) {
  EXPECT_EQ(unknown_name("option", "eps", {}), "unknown option 'eps'; none is known here");
}

}  // namespace
}  // namespace normproof::ref::numeric
