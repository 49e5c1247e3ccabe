#include "verification/checks/oracle/definition.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/oracle/oracle.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;

/// Returns the error message for x with one feature per row.
std::string definition_error_message(const model::NormOptions& options, std::size_t rows) {
  const OracleInputs inputs{.x = ref::tensor::full_tensor<oracle100>({rows, 1}, 3)};
  const Arguments<oracle100> arguments = complete_arguments(options, inputs);
  return ref::numeric::contract_message([&] {
    evaluate<oracle100>(options, arguments, {}, model::Mode::training, initial_state(options, 1));
  });
}

TEST(Evaluate, C2_RejectsAZeroStatisticWithoutEps) {
  EXPECT_EQ(definition_error_message(model::LayerNormOptions{.eps = 0}, 2),
            "oracle: x makes a statistic + eps 0; expected more than 0 (C2)");
}

TEST(Evaluate, C8_RejectsUnbiasedVarianceOfOneRow) {
  EXPECT_EQ(definition_error_message(model::BatchNormOptions{}, 1),
            "oracle: valid has 1 valid row; expected 2 at least (C8)");
}

TEST(Evaluate, C12_RejectsRoundedStorage) {
  EXPECT_EQ(
      definition_error_message(model::RMSNormOptions{.storage = model::StorageFormat::bfloat16}, 2),
      "oracle: storage rounds; expected float64, which does not (C12)");
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
