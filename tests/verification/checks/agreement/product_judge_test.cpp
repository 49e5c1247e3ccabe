#include "verification/checks/agreement/product_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/ops/matmul.hpp"
#include "tests/verification/checks/agreement/library_faults.hpp"
#include "verification/checks/agreement/library_samples.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::ops::LibraryProducts;
using gpu::ops::Precision;
using gpu::ops::Products;

const Precision kJudged[] = {Precision::float64, Precision::float32, Precision::tf32,
                             Precision::bfloat16, Precision::float16};

/// Judges one library on all samples of a seed. Returns the row of the report.
Row judge_library(const Products& library, Precision precision, std::uint64_t seed, bool exact,
                  golden::corpus::Tier tier = golden::corpus::Tier::quick) {
  const auto device = gpu::device::simulated_device(seed);
  Rows rows;
  rows.begin("product", "all");
  ProductJudge judge(rows, product_arithmetic(precision), exact);
  const ObservedProducts observed_library(library,
                                          [&](const ObservedProduct& seen) { judge(seen); });
  for (const ProductSample& s : product_samples(seed, product_arithmetic(precision), tier, exact)) {
    const auto a = gpu::device::upload(*device, s.a), b = gpu::device::upload(*device, s.b);
    auto c = gpu::device::upload(*device, s.c);
    auto left = gpu::ops::matrices(a.span(), a.shape());
    auto right = gpu::ops::matrices(b.span(), b.shape());
    if (s.a_transposed) left = gpu::ops::transposed(left);
    if (s.b_transposed) right = gpu::ops::transposed(right);
    gpu::ops::matmul_into(*device, gpu::ops::matrices(c.span(), c.shape()), left, right, s.add,
                          observed_library);
  }
  EXPECT_GT(judge.seen(), 0u);
  return rows.all()[0];
}

/// Judges one product of square matrices. The elements of `a` are small multiples of `value`, and
/// the elements of `b` are 1, so that no sum cancels. Returns the row of the report.
Row judge_square_product(const Products& library, Precision precision, double value) {
  const auto device = gpu::device::simulated_device(4);
  auto a = ref::tensor::full_tensor<double>({32, 32}, value);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] *= static_cast<double>(1 + i % 7 + i / 32);
  const auto b = ref::tensor::full_tensor<double>({32, 32}, 1.0);
  Rows rows;
  rows.begin("product", "square");
  ProductJudge judge(rows, product_arithmetic(precision), false);
  gpu::ops::matmul(gpu::device::upload(*device, a), gpu::device::upload(*device, b),
                   gpu::ops::Transpose::none,
                   ObservedProducts(library, [&](const ObservedProduct& seen) { judge(seen); }));
  return rows.all()[0];
}

TEST(ProductJudge, AcceptsALibraryThatSumsInAnyOrder) {
  for (const Precision precision : kJudged)
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      const Row row = judge_library(LibraryProducts(precision), precision, seed, false);
      EXPECT_EQ(row.difference, "") << gpu::ops::precision_name(precision) << " " << seed;
      EXPECT_GT(row.of_bound, 0.2) << gpu::ops::precision_name(precision);
      EXPECT_EQ(row.not_judged, 0u);
    }
}

TEST(ProductJudge, LibrariesMultiplyExactSamplesWithoutError) {
  for (const Precision precision : kJudged)
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      const Row row = judge_library(LibraryProducts(precision), precision, seed, true);
      EXPECT_EQ(row.difference, "") << gpu::ops::precision_name(precision) << " " << seed;
      EXPECT_EQ(row.of_bound, 0);
    }
}

// The contract's own products are within the bounds of a library that computes in double. They are
// exact on exact samples only in double.
TEST(ProductJudge, AcceptsProductsSummedInTheSpecifiedOrder) {
  EXPECT_EQ(judge_library(gpu::ops::ordered_products(), Precision::float64, 1, false).difference,
            "");
  EXPECT_EQ(judge_library(gpu::ops::ordered_products(), Precision::float64, 1, true).difference,
            "");
}

TEST(ProductJudge, DetectsADroppedTerm) {
  for (const Precision precision : kJudged) {
    const LibraryProducts library(precision);
    const ProductsWithChangedOperand faulty_library(library, drop_last_term);
    EXPECT_NE(judge_library(faulty_library, precision, 1, false).difference, "")
        << gpu::ops::precision_name(precision);
    EXPECT_NE(judge_library(faulty_library, precision, 1, true).difference, "")
        << gpu::ops::precision_name(precision);
  }
}

TEST(ProductJudge, DetectsSumsInLowerPrecision) {
  const gpu::ops::SimulatedSums float16{ref::numeric::float_format_info(Precision::float16), false};
  const gpu::ops::SimulatedSums float32{ref::numeric::float_format_info(Precision::float32), false};
  EXPECT_NE(
      judge_library(LibraryProducts(Precision::float64, float32), Precision::float64, 1, false)
          .difference,
      "");
  for (const Precision precision :
       {Precision::float32, Precision::tf32, Precision::bfloat16, Precision::float16}) {
    const LibraryProducts faulty_library(precision, float16);
    EXPECT_NE(judge_library(faulty_library, precision, 1, false).difference, "")
        << gpu::ops::precision_name(precision);
    EXPECT_NE(judge_library(faulty_library, precision, 1, true).difference, "")
        << gpu::ops::precision_name(precision);
  }
}

TEST(ProductJudge, DetectsTensorCoresInsteadOfFloat32) {
  const gpu::ops::SimulatedSums truncating = gpu::ops::simulated_sums(Precision::tf32);
  EXPECT_NE(
      judge_library(LibraryProducts(Precision::float32, truncating), Precision::float32, 1, false)
          .difference,
      "");
}

TEST(ProductJudge, DetectsATransposedOperand) {
  for (const Precision precision : kJudged) {
    const LibraryProducts library(precision);
    EXPECT_EQ(judge_square_product(library, precision, 1).difference, "");
    EXPECT_NE(judge_square_product(ProductsWithTransposedOperand(library), precision, 1).difference,
              "");
  }
}

TEST(ProductJudge, DetectsAnOperandInLowerPrecision) {
  const std::pair<Precision, Precision> narrower[] = {{Precision::float64, Precision::float32},
                                                      {Precision::float32, Precision::tf32},
                                                      {Precision::tf32, Precision::bfloat16},
                                                      {Precision::float16, Precision::bfloat16}};
  for (const auto& [promised, used] : narrower)
    EXPECT_NE(judge_library(LibraryProducts(used), promised, 1, false).difference, "")
        << gpu::ops::precision_name(promised);
  const LibraryProducts library(Precision::bfloat16);
  const ProductsWithChangedOperand library_with_seven_bit_operands(
      library,
      make_operand_rounding(ref::numeric::float_format(Precision::bfloat16, "7 digits", 2, 8, 7)));
  EXPECT_NE(
      judge_library(library_with_seven_bit_operands, Precision::bfloat16, 1, false).difference, "");
}

// The operands lie just above the midpoint of two numbers of the format, by less than float32
// resolves. Rounding to float32 first gives the wrong number.
TEST(ProductJudge, DetectsAnOperandRoundedTwice) {
  for (const auto& [precision, digits] :
       {std::pair{Precision::bfloat16, 8}, {Precision::tf32, 11}, {Precision::float16, 11}}) {
    const double between = 1 + std::ldexp(1, -digits) + 0x1p-30;
    const LibraryProducts library(precision);
    const ProductsWithChangedOperand library_with_twice_rounded_operands(
        library, make_operand_rounding(ref::numeric::float_format_info(Precision::float32)));
    EXPECT_EQ(judge_square_product(library, precision, between).difference, "");
    EXPECT_NE(
        judge_square_product(library_with_twice_rounded_operands, precision, between).difference,
        "")
        << gpu::ops::precision_name(precision);
  }
}

TEST(ProductJudge, NamesTheFirstElementBeyondItsBound) {
  const LibraryProducts library(Precision::float64);
  const ProductsWithChangedOperand faulty_library(library, drop_last_term);
  EXPECT_TRUE(judge_square_product(faulty_library, Precision::float64, 1)
                  .difference.starts_with(
                      "square: product 1 of [32, 32] by [32, 32], element [0, 0, 0]: "));
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
