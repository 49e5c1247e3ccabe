#include "ref/model/optimizer_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::model {
namespace {

using numeric::contract_message;
using ::testing::HasSubstr;

std::string rejection_message(const OptimizerOptions& options) {
  return contract_message([&] { check_optimizer(options); });
}

TEST(OptimizerChecks, C1_RejectsOptionsOutOfRange) {
  EXPECT_THAT(rejection_message(SgdOptions{-0.1}), HasSubstr("momentum >= 0 (C1)"));
  EXPECT_THAT(rejection_message(AdamOptions{1, 0.9, 1e-8}), HasSubstr("0 <= beta1 < 1 (C1)"));
  EXPECT_THAT(rejection_message(AdamOptions{0.9, -1, 1e-8}), HasSubstr("0 <= beta2 < 1 (C1)"));
  EXPECT_THAT(rejection_message(AdamOptions{0.9, 0.9, 0}), HasSubstr("eps > 0 (C1)"));
  EXPECT_THAT(rejection_message(AdamWOptions{0.9, 0.9, 1e-8, std::nan("")}),
              HasSubstr("weight_decay >= 0 (C1)"));
}

TEST(OptimizerChecks, C2_RejectsNegativeLearningRate) {
  EXPECT_THAT(contract_message([] { check_learning_rate(-1); }),
              HasSubstr("learning_rate >= 0 (C2)"));
}

TEST(OptimizerChecks, AcceptsDefaultsAndLimits) {
  for (const std::string& name : optimizer_names())
    EXPECT_NO_THROW(check_optimizer(optimizer_options(name)));
  EXPECT_NO_THROW(check_optimizer(AdamWOptions{0, 0, 1e-300, 0}));
  EXPECT_NO_THROW(check_learning_rate(0));
}

TEST(OptimizerChecks, AdamConvertsToAdamWWithoutWeightDecay) {
  EXPECT_EQ(convert_to_adamw_options(AdamOptions{0.5, 0.75, 0.125}).weight_decay, 0);
  EXPECT_EQ(convert_to_adamw_options(AdamOptions{0.5, 0.75, 0.125}).beta2, 0.75);
  EXPECT_EQ(convert_to_adamw_options(AdamWOptions{0.5, 0.75, 0.125, 3}).weight_decay, 3);
}

}  // namespace
}  // namespace normproof::ref::model
