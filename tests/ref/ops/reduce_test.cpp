#include "ref/ops/reduce.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::oracle50;
using numeric::rational;
using tensor::Tensor;

Tensor<double> random_matrix(std::size_t rows, std::size_t width) {
  const numeric::RandomStream random(5, "reduce");
  Tensor<double> x = tensor::empty_tensor<double>({rows, width});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random.normal(i);
  return x;
}

TEST(Reductions, AreExactForSmallIntegers) {
  const Tensor<double> x = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_BITS_EQ(sum_elements(x), 21.0);
  EXPECT_BITS_EQ(sum_rows(x), (Tensor<double>{6, 15}));
  EXPECT_BITS_EQ(sum_columns(x), (Tensor<double>{5, 7, 9}));
  EXPECT_BITS_EQ(dot_rows(x, x), (Tensor<double>{14, 77}));
}

TEST(Reductions, AddRowsAndColumnsInTheSameOrder) {
  const Tensor<double> x = random_matrix(37, 65);
  Tensor<double> transposed = tensor::empty_tensor<double>({65, 37});
  for (std::size_t i = 0; i < 37; ++i)
    for (std::size_t j = 0; j < 65; ++j) transposed(j, i) = x(i, j);
  EXPECT_BITS_EQ(sum_rows(x), sum_columns(transposed));
}

TEST(Reductions, BitsDoNotDependOnTheThreadCount) {
  const Tensor<double> x = random_matrix(300, 257);
  const Tensor<double> rows = sum_rows(x);
  const Tensor<double> columns = sum_columns(x);
  const Tensor<double> dots = dot_rows(x, x);
  for (const int threads : {2, 3, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_BITS_EQ(sum_rows(x), rows);
    EXPECT_BITS_EQ(sum_columns(x), columns);
    EXPECT_BITS_EQ(dot_rows(x, x), dots);
  }
  numeric::set_num_threads(1);
}

TEST(Reductions, EveryScalarTypeAgreesWithTheExactSum) {
  const Tensor<double> x = random_matrix(1, 200);
  rational exact(0);
  for (std::size_t i = 0; i < x.size(); ++i) exact += rational(x.data()[i]);
  const auto interval_sum = numeric::enclose(sum_elements(tensor::convert<numeric::interval>(x)));
  EXPECT_LE(rational(interval_sum.lower), exact);
  EXPECT_GE(rational(interval_sum.upper), exact);
  const auto ball_sum = numeric::enclose(sum_elements(tensor::convert<numeric::ball>(x)));
  EXPECT_LE(rational(ball_sum.lower), exact);
  EXPECT_GE(rational(ball_sum.upper), exact);
  EXPECT_BITS_EQ(numeric::to_double(sum_elements(tensor::convert<oracle50>(x))),
                 numeric::to_double(exact));
  EXPECT_BITS_EQ(numeric::to_double(sum_elements(tensor::convert<numeric::oracle100>(x))),
                 numeric::to_double(exact));
  const auto running = sum_elements(tensor::convert<numeric::running_error>(x));
  EXPECT_BITS_EQ(running.value, sum_elements(x));
  EXPECT_LE(abs(rational(running.value) - exact), rational(running.error));
}

std::string rejection_message(const std::function<void()>& f) {
  return numeric::contract_message(f);
}

TEST(SumElements, C1_RejectsATensorWithoutElements) {
  EXPECT_NE(rejection_message([] { sum_elements(Tensor<double>::from_shape({0})); }), "no error");
}

TEST(SumRows, C1_RejectsAVector) {
  EXPECT_NE(rejection_message([] { sum_rows(Tensor<double>{1, 2}); }), "no error");
}

TEST(SumColumns, C1_RejectsAnExtentOfZero) {
  EXPECT_NE(rejection_message([] { sum_columns(Tensor<double>::from_shape({0, 3})); }), "no error");
}

TEST(DotRows, C1_RejectsAVector) {
  const Tensor<double> row = {1, 2};
  EXPECT_NE(rejection_message([&] { dot_rows(row, row); }), "no error");
}

TEST(DotRows, C2_RejectsWOfWrongShape) {
  EXPECT_NE(rejection_message([] { dot_rows(random_matrix(2, 3), random_matrix(3, 2)); }),
            "no error");
}

}  // namespace
}  // namespace normproof::ref::ops
