#include "ref/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/ref/ops/naive_matmul.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/compare/bound.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::ball;
using numeric::rational;
using tensor::convert;
using tensor::empty_tensor;
namespace bound = verification::checks::compare::bound;

template <class T>
Tensor<T> transpose(const Tensor<T>& t) {
  Tensor<T> result = empty_tensor<T>({t.shape(1), t.shape(0)});
  for (std::size_t i = 0; i < t.shape(0); ++i)
    for (std::size_t j = 0; j < t.shape(1); ++j) result(j, i) = t(i, j);
  return result;
}

Tensor<double> multiply_naively(const Tensor<double>& a, const Tensor<double>& b) {
  Tensor<double> c = empty_tensor<double>({a.shape(0), b.shape(1)});
  naive_matmul(matrices(c), matrices(a), matrices(b));
  return c;
}

TEST(Matmul, MatchesHandComputedValues) {
  const Tensor<double> a = {{1, 2, 3}, {4, 5, 6}};
  const Tensor<double> b = {{1, 0}, {0, 1}, {-1, 2}};
  EXPECT_BITS_EQ(matmul(a, b), (Tensor<double>{{-2, 8}, {-2, 17}}));
  EXPECT_BITS_EQ(matmul(a, a, Transpose::a),
                 (Tensor<double>{{17, 22, 27}, {22, 29, 36}, {27, 36, 45}}));
  EXPECT_BITS_EQ(matmul(a, a, Transpose::b), (Tensor<double>{{14, 32}, {32, 77}}));
}

TEST(Matmul, TransposedProductsAgree) {
  const Tensor<double> a = random_tensor({23, 300}, "a");
  const Tensor<double> b = random_tensor({300, 17}, "b");
  const Tensor<double> expected = multiply_naively(a, b);
  EXPECT_BITS_EQ(matmul(a, b), expected);
  EXPECT_BITS_EQ(matmul(transpose(a), b, Transpose::a), expected);
  EXPECT_BITS_EQ(matmul(a, transpose(b), Transpose::b), expected);
}

TEST(Matmul, ZeroDepthGivesPlusZero) {
  const Tensor<double> c =
      matmul(Tensor<double>::from_shape({2, 0}), Tensor<double>::from_shape({0, 3}));
  EXPECT_BITS_EQ(c, tensor::full_tensor<double>({2, 3}, 0.0));
  EXPECT_EQ(tensor::shape_of(
                matmul(Tensor<double>::from_shape({0, 4}), Tensor<double>::from_shape({4, 3}))),
            (Shape{0, 3}));
}

TEST(Matmul, BatchEqualsItsMatricesOneByOne) {
  const Tensor<double> a = random_tensor({2, 3, 5, 7}, "a");
  const Tensor<double> b = random_tensor({2, 3, 7, 4}, "b");
  const Tensor<double> shared = random_tensor({7, 4}, "shared");
  const Tensor<double> c = matmul(a, b);
  const Tensor<double> d = matmul(a, shared);
  const Tensor<double> e = matmul(a, random_tensor({5, 2}, "e"), Transpose::a);
  ASSERT_EQ(tensor::shape_of(c), (Shape{2, 3, 5, 4}));
  ASSERT_EQ(tensor::shape_of(e), (Shape{2, 3, 7, 2}));
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t q = 0; q < 3; ++q) {
      Tensor<double> left = empty_tensor<double>({5, 7});
      Tensor<double> right = empty_tensor<double>({7, 4});
      Tensor<double> own_product = empty_tensor<double>({5, 4});
      Tensor<double> batched_product = empty_tensor<double>({5, 4});
      Tensor<double> crossed = empty_tensor<double>({7, 2});
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 7; ++j) left(i, j) = a(p, q, i, j);
      for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 4; ++j) right(i, j) = b(p, q, i, j);
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          own_product(i, j) = c(p, q, i, j);
          batched_product(i, j) = d(p, q, i, j);
        }
      for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 2; ++j) crossed(i, j) = e(p, q, i, j);
      EXPECT_BITS_EQ(own_product, multiply_naively(left, right));
      EXPECT_BITS_EQ(batched_product, multiply_naively(left, shared));
      EXPECT_BITS_EQ(crossed, multiply_naively(transpose(left), random_tensor({5, 2}, "e")));
    }
}

// Computes the scores q k^T of attention. Head h of q [B, T, D] consists of the columns from h d to
// h d + d - 1.
TEST(Matmul, MultipliesHeadsThatAreColumnSlicesOfATensor) {
  constexpr std::size_t kBatch = 2, kTime = 5, kHeads = 3, kWidth = 4;
  const Tensor<double> q = random_tensor({kBatch, kTime, kHeads * kWidth}, "q");
  const Tensor<double> k = random_tensor({kBatch, kTime, kHeads * kWidth}, "k");
  const auto heads = [&](const Tensor<double>& t) {
    return MatrixView<const double>{
        t.data(), kTime, kWidth, kHeads * kWidth, 1, kBatch, kTime * kHeads * kWidth,
        kHeads,   kWidth};
  };
  Tensor<double> scores = empty_tensor<double>({kBatch, kHeads, kTime, kTime});
  MatrixView<double> result = matrix(scores.data(), kTime, kTime);
  result.batch_size = kBatch;
  result.batch_stride = kHeads * kTime * kTime;
  result.inner_batch_size = kHeads;
  result.inner_batch_stride = kTime * kTime;
  for (const int threads : {1, 2, 5}) {
    numeric::set_num_threads(threads);
    matmul_into(result, heads(q), transposed(heads(k)));
    for (std::size_t b = 0; b < kBatch; ++b)
      for (std::size_t h = 0; h < kHeads; ++h)
        for (std::size_t i = 0; i < kTime; ++i)
          for (std::size_t j = 0; j < kTime; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < kWidth; ++d)
              sum = std::fma(q(b, i, h * kWidth + d), k(b, j, h * kWidth + d), sum);
            EXPECT_BITS_EQ(scores(b, h, i, j), sum);
          }
  }
  numeric::set_num_threads(1);
}

TEST(Matmul, MatmulAddAddsToTheOldValues) {
  const Tensor<double> a = random_tensor({9, 20}, "a");
  const Tensor<double> b = random_tensor({20, 11}, "b");
  Tensor<double> c = random_tensor({9, 11}, "c");
  Tensor<double> expected = matmul(a, b);
  for (std::size_t i = 0; i < c.size(); ++i) expected.data()[i] = c.data()[i] + expected.data()[i];
  matmul_add(matrices(c), matrices(a), matrices(b));
  EXPECT_BITS_EQ(c, expected);
}

// The expected result is computed by writing the row to each row of c and then adding the product.
// The extents cover several summation chains, whole and partial tiles, few rows and a batch.
TEST(Matmul, MatmulAddToRowAddsToTheGivenRow) {
  const auto check_matmul_operands = [](const Shape& a_shape, std::size_t width) {
    const std::size_t depth = a_shape.back();
    const Tensor<double> a = random_tensor(a_shape, "a"), b = random_tensor({width, depth}, "b");
    const Tensor<double> row = random_tensor({width}, "row");
    Shape shape = a_shape;
    shape.back() = width;
    Tensor<double> expected = empty_tensor<double>(shape), c = random_tensor(shape, "old");
    for (std::size_t i = 0; i < expected.size(); ++i) expected.data()[i] = row(i % width);
    matmul_add(matrices(expected), matrices(a), transposed(matrices(b)));
    for (const int threads : {1, 2, 5}) {
      numeric::set_num_threads(threads);
      matmul_add_to_row(matrices(c), matrices(a), transposed(matrices(b)), row);
      EXPECT_BITS_EQ(c, expected);
      const MatrixView<double> by_columns = {c.data(), c.shape(c.dimension() - 2), width, 1,
                                             c.shape(c.dimension() - 2)};
      if (a_shape.size() > 2) continue;
      matmul_add_to_row(by_columns, matrices(a), transposed(matrices(b)), row);
      for (std::size_t i = 0; i < by_columns.rows; ++i)
        for (std::size_t j = 0; j < width; ++j)
          ASSERT_EQ(c.data()[i + j * by_columns.column_stride], expected(i, j));
    }
    numeric::set_num_threads(1);
  };
  for (const std::size_t rows : {1, 3, 9, 200})
    for (const std::size_t width : {1, 5, 24, 50, 300})
      for (const std::size_t depth : {0, 7, 256, 600}) check_matmul_operands({rows, depth}, width);
  check_matmul_operands({40, 2100}, 30);  // each thread computes independently
  check_matmul_operands({100, 2100}, 7);
  check_matmul_operands({3, 20, 300}, 11);
}

// Returns the exact product in rational arithmetic.
Tensor<rational> exact_product(const Tensor<double>& a, const Tensor<double>& b) {
  Tensor<rational> c = tensor::full_tensor<rational>({a.shape(0), b.shape(1)}, rational(0));
  for (std::size_t i = 0; i < a.shape(0); ++i)
    for (std::size_t j = 0; j < b.shape(1); ++j)
      for (std::size_t k = 0; k < a.shape(1); ++k) c(i, j) += rational(a(i, k)) * rational(b(k, j));
  return c;
}

struct ProductOperands {
  const char* name;
  Tensor<double> a;
  Tensor<double> b;
};

// Returns operands of three kinds. "random" operands have normal elements. The magnitudes of
// "graded" operands range over 90 powers of two. In sums of "cancelling" operands, the second half
// of the terms cancels the first half, except for one term that is smaller by 2^-40.
std::vector<ProductOperands> operand_families(std::size_t rows, std::size_t columns,
                                              std::size_t depth) {
  std::vector<ProductOperands> pairs;
  for (const char* name : {"random", "graded", "cancelling"}) {
    ProductOperands p{name, random_tensor({rows, depth}, "a"),
                      random_tensor({depth, columns}, "b")};
    const auto grade = [](std::size_t i, std::size_t extent) {
      return static_cast<int>(90 * i / extent) - 45;
    };
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        double& x = p.a(i, k);
        if (p.name[0] == 'g') x = std::ldexp(x, grade(i, rows) + grade(k, depth));
        if (p.name[0] == 'c' && k >= depth / 2 && k + 1 < depth) x = p.a(i, k - depth / 2);
        if (p.name[0] == 'c' && k + 1 == depth) x *= 0x1p-40;
      }
      for (std::size_t j = 0; j < columns; ++j) {
        double& x = p.b(k, j);
        if (p.name[0] == 'g') x = std::ldexp(x, grade(j, columns) - grade(k, depth) / 2);
        if (p.name[0] == 'c' && k >= depth / 2 && k + 1 < depth) x = -p.b(k - depth / 2, j);
        if (p.name[0] == 'c' && 2 * (k + 1) == depth) x = 0;  // has no partner to cancel with
      }
    }
    pairs.push_back(p);
  }
  return pairs;
}

constexpr std::size_t kDepths[] = {1, 2, 33, 256, 257, 700};

TEST(Matmul, DoubleResultIsWithinTheErrorBound) {
  std::printf("%12s %8s %14s\n", "family", "depth", "error/bound");
  for (const std::size_t depth : kDepths)
    for (const ProductOperands& p : operand_families(7, 6, depth)) {
      const numeric::BallPrecision precision(400);
      const Tensor<double> c = matmul(p.a, p.b);
      const Tensor<ball> enclosure = matmul(convert<ball>(p.a), convert<ball>(p.b));
      const Tensor<double> limit = bound::matmul(p.a, p.b);
      double worst = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const ball error = ball(c.data()[i]) - enclosure.data()[i];
        const double largest = std::max(error.upper(), -error.lower());
        EXPECT_LE(largest, limit.data()[i]) << p.name << " " << depth << " " << i;
        worst = std::max(worst, largest / limit.data()[i]);
      }
      std::printf("%12s %8zu %14.3g\n", p.name, depth, worst);
    }
}

TEST(Matmul, CancellingSumsLoseDigitsButStayWithinTheBound) {
  const ProductOperands p = operand_families(7, 6, 700)[2];
  const Tensor<double> c = matmul(p.a, p.b);
  const Tensor<rational> exact = exact_product(p.a, p.b);
  double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    worst = std::max(worst, numeric::to_double(abs(rational(c.data()[i]) / exact.data()[i] - 1)));
  EXPECT_GE(worst, 0x1p-20) << "the family is well conditioned";
}

TEST(Matmul, EveryScalarTypeAgreesWithTheExactProduct) {
  for (const std::size_t depth : {1u, 33u, 257u})
    for (const ProductOperands& p : operand_families(4, 3, depth)) {
      const Tensor<rational> exact = exact_product(p.a, p.b);
      const auto product = [&]<class T>(T) { return matmul(convert<T>(p.a), convert<T>(p.b)); };
      const auto in_interval = product(numeric::interval());
      const auto in_ball = product(ball());
      const auto running = product(running_error());
      const auto digits50 = product(oracle50());
      const auto digits100 = product(oracle100());
      const auto dual = product(numeric::dual());
      EXPECT_WITHIN(verification::checks::compare::compare(running, digits100));
      const Tensor<double> c = matmul(p.a, p.b);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const auto interval_ends = numeric::enclose(in_interval.data()[i]);
        EXPECT_LE(rational(interval_ends.lower), exact.data()[i]);
        EXPECT_GE(rational(interval_ends.upper), exact.data()[i]);
        const auto ball_ends = numeric::enclose(in_ball.data()[i]);
        EXPECT_LE(rational(ball_ends.lower), exact.data()[i]);
        EXPECT_GE(rational(ball_ends.upper), exact.data()[i]);
        EXPECT_BITS_EQ(running.data()[i].value, c.data()[i]);
        EXPECT_LE(abs(rational(running.data()[i].value) - exact.data()[i]),
                  rational(running.data()[i].error));
        const double rounded = numeric::to_double(exact.data()[i]);
        EXPECT_BITS_EQ(numeric::to_double(digits50.data()[i]), rounded);
        EXPECT_BITS_EQ(numeric::to_double(digits100.data()[i]), rounded);
        EXPECT_BITS_EQ(numeric::to_double(dual.data()[i]), rounded);
      }
    }
}

// The product rule is (A + eps dA)(B + eps dB) = AB + eps (dA B + A dB). The elements are integers,
// so nothing is rounded.
TEST(Matmul, DualNumbersFollowTheProductRule) {
  const auto random_integers = [](const Shape& shape, const char* name) {
    const numeric::RandomStream random(2, name);
    Tensor<double> t = empty_tensor<double>(shape);
    for (std::size_t i = 0; i < t.size(); ++i)
      t.data()[i] = static_cast<double>(random.below(i, 19)) - 9;
    return t;
  };
  const auto a = random_integers({3, 300}, "a"), da = random_integers({3, 300}, "da");
  const auto b = random_integers({300, 4}, "b"), db = random_integers({300, 4}, "db");
  const auto dual = [](const Tensor<double>& x, const Tensor<double>& dx) {
    Tensor<numeric::dual> t = empty_tensor<numeric::dual>(tensor::shape_of(x));
    for (std::size_t i = 0; i < t.size(); ++i)
      t.data()[i] = numeric::dual(oracle50(x.data()[i]), oracle50(dx.data()[i]));
    return t;
  };
  const auto c = matmul(dual(a, da), dual(b, db));
  const Tensor<double> value = matmul(a, b);
  const Tensor<double> left = matmul(da, b);
  const Tensor<double> right = matmul(a, db);
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(c.data()[i].value, oracle50(value.data()[i]));
    EXPECT_EQ(c.data()[i].derivative, oracle50(left.data()[i]) + oracle50(right.data()[i]));
  }
}

TEST(Matmul, OtherScalarTypesSupportTransposesBatchesAndAddition) {
  const Tensor<double> a = {{1, 2, 3}, {4, 5, 6}};
  const Tensor<double> b = {{1, 0}, {0, 1}, {-1, 2}};
  const auto check_matmul_operands = [&]<class T>(T) {
    const auto a_of = convert<T>(a), b_of = convert<T>(b);
    const auto expect = [](const Tensor<T>& got, const Tensor<double>& expected) {
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(numeric::to_double(got.data()[i]), expected.data()[i]);
    };
    expect(matmul(transpose(a_of), b_of, Transpose::a), matmul(a, b));
    expect(matmul(a_of, transpose(b_of), Transpose::b), matmul(a, b));
    Tensor<T> twice = empty_tensor<T>({2, 2, 3});
    for (std::size_t i = 0; i < 12; ++i) twice.data()[i] = a_of.data()[i % 6];
    Tensor<T> c = matmul(twice, b_of);
    matmul_add(matrices(c), matrices(twice), matrices(b_of));
    expect(c, Tensor<double>{-4, 16, -4, 34, -4, 16, -4, 34});
    const Tensor<T> row = convert<T>(Tensor<double>{100, 1000});
    matmul_add_to_row(matrices(c), matrices(twice), matrices(b_of), row);
    expect(c, Tensor<double>{98, 1008, 98, 1017, 98, 1008, 98, 1017});
    expect(matmul(Tensor<T>::from_shape({1, 0}), Tensor<T>::from_shape({0, 1})),
           tensor::full_tensor<double>({1, 1}, 0.0));
  };
  check_matmul_operands(oracle50());
  check_matmul_operands(oracle100());
  check_matmul_operands(numeric::interval());
  check_matmul_operands(ball());
  check_matmul_operands(numeric::dual());
  check_matmul_operands(running_error());
}

TEST(Matmul, ResultsOfOtherScalarTypesDoNotDependOnTheThreadCount) {
  const ProductOperands p = operand_families(13, 5, 40)[0];
  const auto a = convert<oracle50>(p.a), b = convert<oracle50>(p.b);
  const auto expected = matmul(a, b);
  numeric::set_num_threads(3);
  EXPECT_EQ(matmul(a, b), expected);
  numeric::set_num_threads(1);
}

}  // namespace
}  // namespace normproof::ref::ops
