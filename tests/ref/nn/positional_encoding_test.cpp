#include "ref/nn/positional_encoding.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace normproof::ref::nn {
namespace {

TEST(PositionalEncoding, MatchesTheFormulaOfThePaper) {
  const auto table = positional_encoding(5, 7);
  ASSERT_EQ(tensor::shape_of(table), (tensor::Shape{5, 7}));
  for (std::size_t t = 0; t < 5; ++t)
    for (std::size_t d = 0; d < 7; ++d) {
      const long double pair = static_cast<long double>(d - d % 2);
      const long double angle = static_cast<long double>(t) * std::pow(10000.0L, -pair / 7);
      const double value = static_cast<double>(d % 2 == 0 ? std::sin(angle) : std::cos(angle));
      EXPECT_NEAR(table.data()[t * 7 + d], value, 0x1p-53) << t << " " << d;
    }
  EXPECT_EQ(table.data()[0], 0);
  EXPECT_EQ(table.data()[1], 1);
}

TEST(PositionalEncoding, RowsDoNotDependOnTheTableSizesOfEarlierCalls) {
  const auto two = positional_encoding(2, 6), nine = positional_encoding(9, 6),
             again = positional_encoding(4, 6);
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again.data()[i], nine.data()[i]);
  for (std::size_t i = 0; i < two.size(); ++i) EXPECT_EQ(two.data()[i], nine.data()[i]);
  EXPECT_EQ(nine.data()[8 * 6 + 1], positional_encoding(9, 2).data()[8 * 2 + 1]);  // cos 8
}

TEST(PositionalEncoding, RowsFromAnOffsetMatchTheFullTable) {
  for (const std::size_t first : {std::size_t{3}, std::size_t{70}, std::size_t{0}}) {
    const auto rows = positional_encoding(4, 10, first), table = positional_encoding(80, 10);
    ASSERT_EQ(tensor::shape_of(rows), (tensor::Shape{4, 10}));
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(rows.data()[i], table.data()[first * 10 + i]) << first;
  }
}

TEST(PositionalEncoding, IsAddedToEachSentence) {
  tensor::Tensor<double> x = tensor::full_tensor<double>({2, 3, 4}, 0.5);
  add_positions(x, 2);
  const auto table = positional_encoding(5, 4);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x.data()[i], 0.5 + table.data()[2 * 4 + i % 12]) << i;
}

TEST(PositionalEncoding, HasCorrectlyRoundedSinesAndCosines) {
  const auto table = positional_encoding(3, 2);
  // The expected values are sin(1), cos(1), sin(2) and cos(2), correctly rounded.
  EXPECT_EQ(table.data()[2], 0x1.aed548f090ceep-1);
  EXPECT_EQ(table.data()[3], 0x1.14a280fb5068cp-1);
  EXPECT_EQ(table.data()[4], 0x1.d18f6ead1b446p-1);
  EXPECT_EQ(table.data()[5], -0x1.aa22657537205p-2);
}

}  // namespace
}  // namespace normproof::ref::nn
