#include "ref/tensor/contract.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::tensor {
namespace {

using numeric::contract_message;

TEST(CheckActivations, AcceptsTwoAndThreeAxes) {
  const Extents matrix = check_activations("f", "x", {4, 5});
  EXPECT_EQ(matrix.batch_size, 4u);
  EXPECT_EQ(matrix.seq_len, 1u);
  EXPECT_EQ(matrix.d_model, 5u);
  const Extents sequence = check_activations("f", "x", {2, 3, 5});
  EXPECT_EQ(sequence.rows(), 6u);
  EXPECT_EQ(sequence.size(), 30u);
}

TEST(CheckActivations, RejectsOtherShapes) {
  const std::string expected = "; expected [N, D] or [B, T, D] with every extent at least 1 (C1)";
  for (const Shape& shape :
       {Shape{}, Shape{3}, Shape{1, 2, 3, 4}, Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 3}}) {
    EXPECT_EQ(contract_message([&] { check_activations("f", "x", shape); }),
              "f: x has shape " + to_string(shape) + expected);
  }
}

TEST(IsGiven, TreatsAnEmptyTensorAsAbsent) {
  EXPECT_FALSE(is_given(Tensor<double>()));
  EXPECT_FALSE(is_given(full_tensor<double>({0}, 1)));
  EXPECT_FALSE(is_given(full_tensor<double>({2, 0}, 1)));
  EXPECT_TRUE(is_given(full_tensor<double>({1}, 0)));
}

TEST(CheckShape, ErrorNamesBothShapes) {
  EXPECT_NO_THROW(check_shape("f", "gamma", {5}, {5}));
  EXPECT_EQ(contract_message([] { check_shape("f", "gamma", {4}, {5}); }),
            "f: gamma has shape [4]; expected shape [5]");
}

TEST(CheckMask, AcceptsOnlyTheShapeOfXWithoutTheLastAxis) {
  EXPECT_NO_THROW(check_mask("f", full_tensor<bool>({2, 3}, true), {2, 3, 5}));
  EXPECT_NO_THROW(check_mask("f", full_tensor<bool>({2}, true), {2, 5}));
  EXPECT_NO_THROW(check_mask("f", Mask::from_shape({0}), {2, 5}));
  EXPECT_EQ(contract_message([] {
              check_mask("f", full_tensor<bool>({6}, true), {2, 3, 5});
            }),
            "f: valid has shape [6]; expected shape [2, 3]");
}

TEST(CheckOption, RejectsFailedConditionsAndNonFiniteValues) {
  EXPECT_NO_THROW(check_option("f", "eps", 1e-5, true, "eps >= 0"));
  EXPECT_EQ(contract_message([] { check_option("f", "eps", -1.0, false, "eps >= 0"); }),
            "f: eps is -1; expected eps >= 0");
  EXPECT_EQ(contract_message([] {
              check_option("f", "eps", std::numeric_limits<double>::quiet_NaN(), true, "eps >= 0");
            }),
            "f: eps is nan; expected eps >= 0");
}

TEST(CheckFinite, ErrorNamesTheFirstNonFiniteElement) {
  Tensor<double> x = full_tensor<double>({2, 3}, 1.0);
  EXPECT_NO_THROW(check_finite("f", "x", x));
  x(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(contract_message([&] { check_finite("f", "x", x); }),
            "f: x has the element [1, 2] = inf; expected finite values");
}

TEST(IndexToString, LastAxisVariesFastest) {
  EXPECT_EQ(index_to_string(0, {2, 3, 4}), "[0, 0, 0]");
  EXPECT_EQ(index_to_string(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(index_to_string(5, {2, 3, 4}), "[0, 1, 1]");
}

}  // namespace
}  // namespace normproof::ref::tensor
