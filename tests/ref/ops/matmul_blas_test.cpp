#include "ref/ops/matmul_blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/ops/matmul.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/compare/bound.hpp"

namespace normproof::ref::ops {
namespace {

using tensor::empty_tensor;
namespace bound = verification::checks::compare::bound;

// Returns the error bound gamma(K) sum |a_ik b_kj| of a product [Hig02, 3.1]. It holds for any
// order of summation, with and without fma.
Tensor<double> any_order_bound(const Tensor<double>& a, const Tensor<double>& b) {
  Tensor<double> limit = bound::matmul(a, b);
  const std::size_t depth = a.shape(1);
  const double factor = bound::gamma(depth) / bound::gamma(bound::matmul_roundings(depth));
  for (std::size_t i = 0; i < limit.size(); ++i) limit.data()[i] *= factor * (1 + 0x1p-40);
  return limit;
}

TEST(MatmulBlas, BlasProductAndMatmulAreWithinTheirErrorBounds) {
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{1, 1, 1}, {3, 4, 5}, {17, 9, 300}, {40, 2, 257}, {2, 40, 64}}) {
    const Tensor<double> a = random_tensor({m, k}, "a");
    const Tensor<double> b = random_tensor({k, n}, "b");
    const auto exact =
        matmul(tensor::convert<numeric::oracle100>(a), tensor::convert<numeric::oracle100>(b));
    EXPECT_WITHIN(compare(matmul(a, b), exact, bound::matmul(a, b)));
    EXPECT_WITHIN(compare(matmul_blas(a, b), exact, any_order_bound(a, b)));
  }
}

TEST(MatmulBlas, IntegersAreExact) {
  const Tensor<double> a = {{1, 2, 3}, {4, 5, 6}};
  const Tensor<double> b = {{1, 0}, {0, 1}, {-1, 2}};
  EXPECT_BITS_EQ(matmul_blas(a, b), (Tensor<double>{{-2, 8}, {-2, 17}}));
}

// xtensor-blas computes dot(a, a) by the BLAS function SYRK, which gives a wrong shape for some
// operands that share a buffer.
TEST(MatmulBlas, OperandsMayShareABuffer) {
  const Tensor<double> square = random_tensor({5, 5}, "square");
  const Tensor<double> copy = square;
  EXPECT_BITS_EQ(matmul_blas(square, square), matmul_blas(square, copy));
}

TEST(MatmulBlas, C1_RejectsDisagreeingExtents) {
  const Tensor<double> a = random_tensor({2, 3}, "a");
  EXPECT_EQ(contract_message([&] { matmul_blas(a, a); }),
            "matmul_blas: a and b have shapes [2, 3] and [2, 3]; expected a [M, K] and b [K, N], "
            "extents from 1 to 2^31 - 1 (C1)");
  EXPECT_NE(contract_message([&] {
              matmul_blas(Tensor<double>::from_shape({2, 0}), Tensor<double>::from_shape({0, 2}));
            }),
            "no error");
}

Tensor<double> matrix_with_nan() {
  Tensor<double> bad = random_tensor({3, 2}, "b");
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  return bad;
}

TEST(MatmulBlas, C2_RejectsNonFiniteElements) {
  EXPECT_EQ(contract_message([] {
              matmul_blas(random_tensor({2, 3}, "a"), matrix_with_nan());
            }),
            "matmul_blas: b has the element [2, 1] = nan; expected finite values (C2)");
}

TEST(SingularValues, C2_RejectsNonFiniteElements) {
  EXPECT_EQ(contract_message([] { singular_values(matrix_with_nan()); }),
            "singular_values: a has the element [2, 1] = nan; expected finite values (C2)");
}

TEST(SingularValues, C1_RejectsAVector) {
  EXPECT_EQ(contract_message([&] {
              singular_values(Tensor<double>{1, 2});
            }),
            "singular_values: a has shape [2]; expected [M, N], extents from 1 to 2^31 - 1 (C1)");
}

// LAPACK promises an error of a small multiple of u times the largest singular value. The multiple
// 64 is larger than the measured errors.
constexpr double kMaxRelativeError = 64 * 0x1p-53;

TEST(SingularValues, DiagonalMatrixHasTheMagnitudesOfItsElements) {
  const Tensor<double> a = {{0, -3, 0}, {0.5, 0, 0}};
  const auto values = singular_values(a);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_LE(std::fabs(values[0] - 3), 3 * kMaxRelativeError);
  EXPECT_LE(std::fabs(values[1] - 0.5), 3 * kMaxRelativeError);
  EXPECT_EQ(spectral_norm(a), values[0]);
}

TEST(SingularValues, MatchKnownValuesOfThreeMatrices) {
  // The singular values of [[1, 1], [0, 1]] are the golden ratio and its inverse.
  const double golden = (1 + std::sqrt(5.0)) / 2;
  const auto shear = singular_values(Tensor<double>{{1, 1}, {0, 1}});
  EXPECT_LE(std::fabs(shear[0] - golden), golden * kMaxRelativeError);
  EXPECT_LE(std::fabs(shear[1] - 1 / golden), golden * kMaxRelativeError);
  // A matrix [m, n] of ones has sqrt(m n) once, otherwise 0.
  const auto ones = singular_values(tensor::full_tensor<double>({9, 4}, 1.0));
  ASSERT_EQ(ones.size(), 4u);
  EXPECT_LE(std::fabs(ones[0] - 6), 6 * kMaxRelativeError);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(std::fabs(ones[i]), 6 * kMaxRelativeError);
  // The Hadamard matrix of order 8 has sqrt(8) eight times.
  Tensor<double> hadamard = empty_tensor<double>({8, 8});
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j)
      hadamard(i, j) = __builtin_popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1 : -1;
  for (const double value : singular_values(hadamard))
    EXPECT_LE(std::fabs(value - std::sqrt(8.0)), 3 * kMaxRelativeError);
}

// The sum of squares is the squared Frobenius norm, up to a few roundings per term.
TEST(SingularValues, SquaresAddUpToTheFrobeniusNorm) {
  const Tensor<double> a = random_tensor({30, 20}, "a");
  double frobenius = 0;
  for (std::size_t i = 0; i < a.size(); ++i) frobenius += a.data()[i] * a.data()[i];
  double squares = 0;
  const auto values = singular_values(a);
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += values[i] * values[i];
    EXPECT_LE(values[i], values[i == 0 ? 0 : i - 1]);
  }
  EXPECT_LE(std::fabs(squares - frobenius), bound::gamma(a.size() + 40) * frobenius);
}

}  // namespace
}  // namespace normproof::ref::ops
