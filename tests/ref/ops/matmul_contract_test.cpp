#include "ref/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::ball;
using tensor::convert;
using tensor::empty_tensor;

TEST(MatmulContract, C1_RejectsDisagreeingExtents) {
  const Tensor<double> a = random_tensor({2, 3}, "a");
  EXPECT_EQ(
      contract_message([&] { matmul(a, a); }),
      "matmul: a and b have shapes [2, 3] and [2, 3]; expected a [..., M, K] and b [..., K, N] "
      "(C1)");
  EXPECT_EQ(
      contract_message([&] {
        matmul(a, random_tensor({3, 3}, "b"), Transpose::a);
      }),
      "matmul: a and b have shapes [2, 3] and [3, 3]; expected a [..., K, M] and b [..., K, N] "
      "(C1)");
  EXPECT_EQ(
      contract_message([&] {
        matmul(a, random_tensor({3, 2}, "b"), Transpose::b);
      }),
      "matmul: a and b have shapes [2, 3] and [3, 2]; expected a [..., M, K] and b [..., N, K] "
      "(C1)");
  EXPECT_EQ(contract_message([&] { matmul(a, random_tensor({3}, "b")); }),
            "matmul: a and b have shapes [2, 3] and [3]; expected rank 2 or more (C1)");
  EXPECT_EQ(
      contract_message([&] {
        matmul(random_tensor({2, 2, 3}, "a"), random_tensor({3, 3, 2}, "b"));
      }),
      "matmul: a and b have shapes [2, 2, 3] and [3, 3, 2]; expected equal leading extents, or "
      "b of rank 2 (C1)");
  EXPECT_EQ(
      contract_message([&] {
        matmul(a, random_tensor({2, 3, 2}, "b"));
      }),
      "matmul: a and b have shapes [2, 3] and [2, 3, 2]; expected equal leading extents, or b "
      "of rank 2 (C1)");
  EXPECT_EQ(
      contract_message([&] { matmul(convert<ball>(a), convert<ball>(a)); }),
      "matmul: a and b have shapes [2, 3] and [2, 3]; expected a [..., M, K] and b [..., K, N] "
      "(C1)");
}

TEST(Matrices, C1_RejectsRankBelow2) {
  EXPECT_EQ(contract_message([] {
              matrices(Tensor<double>{1, 2});
            }),
            "matrices: t has shape [2]; expected rank 2 or more (C1)");
}

TEST(MatmulInto, C1_RejectsDisagreeingExtents) {
  const Tensor<double> a = random_tensor({2, 3}, "a");
  Tensor<double> c = random_tensor({2, 3}, "c");
  EXPECT_EQ(
      contract_message([&] { matmul_into(matrices(c), matrices(a), transposed(matrices(a))); }),
      "matmul_into: a and b have shapes [2, 3] and [3, 2] for c [2, 3]; expected a [M, K], b "
      "[K, N] and c [M, N] with the batch of c or none (C1)");
}

TEST(MatmulInto, C2_RejectsAnOutputThatOverlapsAnOperand) {
  Tensor<double> a = random_tensor({4, 4}, "a");
  const Tensor<double> b = random_tensor({4, 4}, "b");
  EXPECT_EQ(contract_message([&] { matmul_into(matrices(a), matrices(a), matrices(b)); }),
            "matmul_into: c and a have shapes [4, 4] and [4, 4] and overlap in memory; expected an "
            "output apart from the operands (C2)");
  EXPECT_EQ(contract_message([&] { matmul_add(matrices(a), matrices(b), matrices(a)); }),
            "matmul_add: c and b have shapes [4, 4] and [4, 4] and overlap in memory; expected an "
            "output apart from the operands (C2)");
  // The last element of one is the first element of the other.
  std::vector<double> memory(31, 1.0);
  const auto first = matrix(memory.data(), 4, 4), last = matrix(memory.data() + 15, 4, 4);
  EXPECT_NE(contract_message([&] { matmul_into(first, last, matrices(b)); }), "no error");
  EXPECT_NE(contract_message([&] { matmul_into(last, first, matrices(b)); }), "no error");
  std::vector<double> interleaved_values(32, 1.0);
  const auto low = matrix(interleaved_values.data(), 4, 4), high = matrix(low.data + 16, 4, 4);
  EXPECT_NO_THROW(matmul_into(low, high, high)) << "operands may be the same";
  EXPECT_NO_THROW(matmul_into(high, low, low));
}

TEST(MatmulAddToRow, C5_RejectsARowOfWrongExtent) {
  const Tensor<double> a = random_tensor({4, 4}, "a");
  Tensor<double> c = random_tensor({4, 4}, "c");
  EXPECT_EQ(contract_message([&] {
              matmul_add_to_row(matrices(c), matrices(a), matrices(a), random_tensor({3}, "row"));
            }),
            "matmul_add_to_row: row has shape [3]; expected shape [4] (C5)");
}

TEST(MatmulInto, C3_RejectsAnOutputWithCoincidingElements) {
  const Tensor<double> a = random_tensor({4, 4}, "a");
  std::vector<double> memory(64);
  MatrixView<double> c = matrix(memory.data(), 4, 4);
  c.row_stride = 3;
  EXPECT_EQ(contract_message([&] { matmul_into(c, matrices(a), matrices(a)); }),
            "matmul_into: c has shape [4, 4] and strides [0, 0, 3, 1]; expected strides that keep "
            "its elements apart (C3)");
  c.row_stride = 4;
  c.batch_size = 2;
  EXPECT_NE(contract_message([&] { matmul_into(c, matrices(a), matrices(a)); }), "no error");
  c.batch_stride = 16;
  EXPECT_NO_THROW(matmul_into(c, matrices(a), matrices(a)));
}

TEST(MatmulInto, C4_RejectsSizesThatOverflow) {
  constexpr std::size_t kHugeExtent = std::size_t{1} << 40;
  const auto a = Tensor<double>::from_shape({kHugeExtent, 0});
  const auto b = Tensor<double>::from_shape({0, kHugeExtent});
  EXPECT_EQ(contract_message([&] { matmul(Tensor<double>(a), Tensor<double>(b)); }),
            "matmul: a and b have shapes [1099511627776, 0] and [0, 1099511627776]; expected a "
            "result of less than 2^63 bytes (C4)");
  double value = 0;
  MatrixView<double> c = matrix(&value, 1, 1);
  MatrixView<const double> x = matrix<const double>(&value, kHugeExtent, kHugeExtent);
  EXPECT_EQ(contract_message([&] { matmul_into(c, x, x); }),
            "matmul_into: a and b have shapes [1099511627776, 1099511627776] and [1099511627776, "
            "1099511627776], too large with c; expected sizes and offsets below 2^63 bytes (C4)");
}

}  // namespace
}  // namespace normproof::ref::ops
