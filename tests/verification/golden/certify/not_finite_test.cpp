#include "verification/golden/certify/not_finite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::error_message;
using ref::numeric::UsageError;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNegative = -std::numeric_limits<double>::infinity();
constexpr double kPositive = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

StoredCase certify_own(const std::string& operation, std::vector<StoredTensor> inputs,
                       const std::vector<std::pair<std::string, std::string>>& options = {}) {
  return certify_user_case(make_user_case({.name = "mine",
                                           .op = operation,
                                           .mode = "training",
                                           .options = options,
                                           .sequence = false,
                                           .inputs = std::move(inputs)}),
                           1);
}
StoredTensor row_of_x(const std::vector<double>& x) {
  return make_stored_tensor("x", DType::float32, {1, x.size()}, x);
}
StoredTensor row_of_grad_y(const std::vector<double>& grad_y) {
  return make_stored_tensor("grad_y", DType::float32, {1, grad_y.size()}, grad_y);
}

TEST(NotFiniteInputs, MinusInfinityExcludesAnElementOfSoftmax) {
  const StoredCase own =
      certify_own("softmax", {row_of_grad_y({1, 2, 3}), row_of_x({0, kNegative, 0})});
  EXPECT_THAT(find_tensor_values(own.expected, "y"), ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(find_tensor_values(own.expected, "grad_x"), ElementsAre(-0.5, 0, 0.5));
  const StoredCase one = certify_own("softmax", {row_of_x({kNegative, kNegative, -7})});
  EXPECT_THAT(find_tensor_values(one.expected, "y"), ElementsAre(0, 0, 1));
}

TEST(NotFiniteInputs, MinusInfinityHasTheValuesOfAMaskedElement) {
  for (const double largest : {-0x1p127, -5.0, 0.0, 5.0, 0x1p127}) {
    const std::vector<double> x = {largest, kNegative, largest - 1, kNegative};
    const StoredTensor grad_y = row_of_grad_y({1, 2, 3, 4});
    const StoredTensor valid = make_stored_tensor("valid", DType::boolean, {1, 4}, {1, 0, 1, 0});
    const auto own = certify_own("softmax", {grad_y, row_of_x(x)});
    const auto masked =
        certify_own("softmax", {grad_y, valid, row_of_x({largest, 0, largest - 1, 0})});
    for (const char* output : {"y", "grad_x"})
      EXPECT_EQ(find_tensor_values(own.expected, output),
                find_tensor_values(masked.expected, output))
          << largest;
  }
}

TEST(NotFiniteInputs, LogSoftmaxOfMinusInfinityIsMinusInfinity) {
  const StoredCase own =
      certify_own("log_softmax", {row_of_grad_y({1, 2}), row_of_x({3, kNegative})});
  EXPECT_THAT(find_tensor_values(own.expected, "y"), ElementsAre(0, kNegative));
  EXPECT_THAT(find_tensor_values(own.expected, "grad_x"), ElementsAre(-2, 2));
}

TEST(NotFiniteInputs, LogSumExpLeavesMinusInfinityOut) {
  const StoredCase own = certify_own("log_sum_exp", {row_of_x({3, kNegative})});
  EXPECT_THAT(find_tensor_values(own.expected, "y"), ElementsAre(3));
}

TEST(NotFiniteInputs, LogSumExpOfMinusInfinityAloneIsMinusInfinity) {
  const StoredCase own = certify_own("log_sum_exp", {row_of_x({kNegative, kNegative})});
  EXPECT_THAT(find_tensor_values(own.expected, "y"), ElementsAre(kNegative));
}

TEST(NotFiniteInputs, LabelSmoothingRefusesAnExcludedClass) {
  EXPECT_THAT(error_message<UsageError>([&] {
                certify_own(
                    "cross_entropy",
                    {make_stored_tensor("logits", DType::float32, {1, 3}, {1, kNegative, 1}),
                     make_stored_tensor("targets", DType::int64, {1}, {0})},
                    {{"label_smoothing", "0.1"}});
              }),
              HasSubstr("expected finite logits with label_smoothing"));
}

TEST(NotFiniteInputs, ARowWithoutAFiniteElementIsNaN) {
  for (const std::vector<double>& x :
       {std::vector{kNegative, kNegative}, {0, kPositive}, {kNegative, kNotANumber}}) {
    const StoredCase own = certify_own("softmax", {row_of_x(x)});
    for (const double y : find_tensor_values(own.expected, "y")) EXPECT_TRUE(std::isnan(y));
  }
}

TEST(NotFiniteInputs, TheLossOfAnExcludedClassIsRefused) {
  const auto inputs = [](double target) {
    return std::vector{make_stored_tensor("logits", DType::float32, {1, 3}, {1, kNegative, 1}),
                       make_stored_tensor("targets", DType::int64, {1}, {target})};
  };
  const StoredCase own = certify_own("cross_entropy", inputs(2));
  EXPECT_THAT(find_tensor_values(own.expected, "grad_logits"), ElementsAre(0.5, 0, -0.5));
  EXPECT_THAT(error_message<UsageError>([&] { certify_own("cross_entropy", inputs(1)); }),
              HasSubstr("logits at [0, 1] is -inf, and is the logit of targets[0]"));
}

TEST(NotFiniteInputs, ReluOfMinusInfinityIsZero) {
  const StoredCase own = certify_own(
      "relu", {make_stored_tensor("grad_y", DType::float32, {1, 4}, {5, 6, 7, 8}),
               make_stored_tensor("x", DType::float32, {1, 4}, {1, kNegative, kNotANumber, -2})});
  EXPECT_THAT(find_tensor_values(own.expected, "y"),
              ElementsAre(1, 0, testing::NanSensitiveDoubleEq(kNotANumber), 0));
  const std::vector<double> grad_x = find_tensor_values(own.expected, "grad_x");
  EXPECT_EQ(grad_x[0], 5);
  EXPECT_EQ(grad_x[1], 0);
  EXPECT_EQ(grad_x[3], 0);
  const StoredCase infinite = certify_own("relu", {row_of_x({1, kPositive, kNegative})});
  EXPECT_THAT(find_tensor_values(infinite.expected, "y"),
              ElementsAre(1, testing::NanSensitiveDoubleEq(kNotANumber), 0));
}

TEST(NotFiniteInputs, AnInfinityWithoutALimitIsRefusedInASentence) {
  for (const char* operation : {"gelu", "silu", "rms_norm", "l2_norm", "dyt"})
    for (const double bad : {kNegative, kPositive})
      EXPECT_THAT(error_message<UsageError>([&] {
                    certify_own(operation, {row_of_x({1, bad, 2})});
                  }),
                  testing::AllOf(HasSubstr("x at [0, 1] is "),
                                 HasSubstr("expected numbers that are finite")))
          << operation;
  EXPECT_NO_THROW(certify_own("layer_norm", {row_of_x({1, kPositive, 2})}));
}

// The gradient of a norm is 0 if grad_y is constant, whatever x is. It is still computed from x.
TEST(NotFiniteInputs, NaNReachesTheGradientsForAnyGradY) {
  for (const char* operation :
       {"layer_norm", "batch_norm", "group_norm", "rms_norm", "instance_norm"})
    for (const double grad : {0.0, 1.0, 0.375}) {
      const std::vector<double> x = {1, kNotANumber, 2, 4, 3, 7, 1, 2, 5, 3, 2, 9},
                                grad_y(12, grad);
      const StoredCase own =
          certify_own(operation, {make_stored_tensor("grad_y", DType::float32, {2, 3, 2}, grad_y),
                                  make_stored_tensor("x", DType::float32, {2, 3, 2}, x)});
      EXPECT_TRUE(std::isnan(find_tensor_values(own.expected, "grad_x")[1]))
          << operation << ' ' << grad;
    }
}

StoredCase certify_merge(const std::vector<double>& o, const std::vector<double>& logs) {
  return certify_own("merge_attention_states",
                     {make_stored_tensor("o", DType::float32, {2, 1, 1, 2, 1}, o),
                      make_stored_tensor("log_sum_exp", DType::float32, {2, 1, 1, 2}, logs)});
}

TEST(NotFiniteInputs, SplitsWithALogarithmOfMinusInfinityAreEmpty) {
  const StoredCase merged =
      certify_merge({3, 4, kNotANumber, kPositive}, {1, kNegative, kNegative, kNegative});
  EXPECT_THAT(find_tensor_values(merged.expected, "y"), ElementsAre(3, 0));
  EXPECT_THAT(find_tensor_values(merged.expected, "log_sum_exp"), ElementsAre(1, kNegative));
}

TEST(NotFiniteInputs, ANaNOfASplitReachesItsQueryAlone) {
  const std::vector<double> y =
      find_tensor_values(certify_merge({kNotANumber, 4, 3, 2}, {1, 2, 1, 2}).expected, "y");
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 3);
  const StoredCase of_logs = certify_merge({3, 4, 3, 2}, {1, kNotANumber, 1, 2});
  EXPECT_EQ(find_tensor_values(of_logs.expected, "y")[0], 3);
  EXPECT_TRUE(std::isnan(find_tensor_values(of_logs.expected, "y")[1]));
  EXPECT_TRUE(std::isnan(find_tensor_values(of_logs.expected, "log_sum_exp")[1]));
}

TEST(NotFiniteInputs, GradientsOfEmptySplitsAreUndeterminedBesideANaN) {
  const auto inputs = [](double of_second_query) {
    return std::vector<StoredTensor>{
        make_stored_tensor("o", DType::bfloat16, {2, 1, 1, 2, 1}, {1, 2, 3, of_second_query}),
        make_stored_tensor("log_sum_exp", DType::float32, {2, 1, 1, 2}, {1, kNegative, 1, 2}),
        make_stored_tensor("grad_y", DType::bfloat16, {1, 1, 2, 1}, {1, 1})};
  };
  const auto is_undetermined = [](const StoredCase& stored) {
    const Case& c = stored.description.c;
    const ref::model::OperationInputs of_case = recipes::inputs_of(c);
    const NotFiniteElements elements(
        [](const Case& asked, const ref::model::OperationInputs& finite) {
          return checks::evaluation::run_operation<double>(asked.options, finite, asked.sequence);
        },
        c, of_case);
    return std::vector<bool>{elements.is_undetermined("grad_log_sum_exp", 0),
                             elements.is_undetermined("grad_log_sum_exp", 1)};
  };
  const StoredCase stored = certify_own("merge_attention_states", inputs(kNotANumber));
  EXPECT_EQ(stored.description.c.dtype, DType::bfloat16);
  EXPECT_THAT(is_undetermined(stored), ElementsAre(false, true));
  EXPECT_THAT(is_undetermined(certify_own("merge_attention_states", inputs(5))),
              ElementsAre(false, false));
}

TEST(NotFiniteInputs, LogarithmsDoNotDetermineTheDtypeOfACase) {
  const StoredCase stored =
      certify_own("merge_attention_states",
                  {make_stored_tensor("log_sum_exp", DType::float32, {1, 1, 1, 1}, {1}),
                   make_stored_tensor("o", DType::float16, {1, 1, 1, 1, 1}, {3})});
  EXPECT_EQ(stored.description.c.dtype, DType::float16);
}

TEST(NotFiniteInputs, OtherInfinitiesOfSplitsAreRefused) {
  EXPECT_THAT(error_message<UsageError>([] {
                certify_merge({3, 4, 3, 2}, {1, kPositive, 1, 2});
              }),
              HasSubstr("log_sum_exp at [0, 0, 0, 1] is inf"));
  EXPECT_THAT(error_message<UsageError>([] {
                certify_merge({3, kNegative, 3, 2}, {1, 1, 1, 2});
              }),
              HasSubstr("o at [0, 0, 0, 1, 0] is -inf"));
}

TEST(NotFiniteInputs, EveryOperationSaysWhatItDoesWithInfinities) {
  using ref::model::InfiniteElements;
  const auto says = [](const char* name) {
    return ref::model::operation_info(name).infinite_elements;
  };
  for (const char* name : {"softmax", "log_softmax", "log_sum_exp", "cross_entropy", "relu"})
    EXPECT_EQ(says(name), InfiniteElements::minus_infinity_is_a_limit) << name;
  for (const char* name :
       {"none", "layer_norm", "batch_norm", "group_norm", "instance_norm", "rope"})
    EXPECT_EQ(says(name), InfiniteElements::make_nan) << name;
  for (const char* name : {"silu", "rms_norm", "batch_renorm", "dyt", "attention", "adam"})
    EXPECT_EQ(says(name), InfiniteElements::unspecified) << name;
}

TEST(NotFiniteInputs, ResultsBeyondTheLargestNumberOfTheDtypeAreRefused) {
  EXPECT_EQ(error_message<UsageError>([] {
              certify_own("rms_norm",
                          {make_stored_tensor("x", DType::float16, {1, 2}, {1, 2}),
                           make_stored_tensor("gamma", DType::float16, {2}, {60000, 60000})});
            }),
            "y at [0, 1] is beyond the largest number of float16; expected inputs whose results it "
            "can hold");
}

}  // namespace
}  // namespace normproof::verification::golden::certify
