#pragma once

#include <cstddef>
#include <optional>

#include "gpu/ops/library_products.hpp"

/// Error bounds of a library's matrix product, for any order of summation. The proof is in
/// docs/error_analysis.md, section 9.
namespace normproof::verification::checks::agreement {

/// The assumptions about the arithmetic of a library.
struct ProductArithmetic {
  ref::numeric::FloatFormat operand;  ///< the format to which operands are rounded, to nearest
  /// The relative error of one addition. If sums are rounded to nearest, it is 2^-53 (double) or
  /// 2^-24 (float32). If sums are truncated, it is 2^-23; an addition may then add any number of
  /// terms at once, after aligning them to the largest term.
  double sum_unit;
  int growth;  ///< maximum number of operations per term divided by the number of terms: 1 or 3
  double sum_largest;     ///< a partial sum above it may overflow
  double least;           ///< maximum error of an operation of the sums that underflows
  bool rounds_once_more;  ///< c + p is computed in double after the sums
  bool aligns;  ///< tensor cores: a subnormal operand counts as the smallest normal number
};
ProductArithmetic product_arithmetic(gpu::ops::Precision precision);

/// Returns the operand v rounded to the library's format, to nearest, ties to even.
double round_operand(const ProductArithmetic& arithmetic, double v);

/// The `count` factors that one operand contributes to the sum of an element: both the given values
/// and the rounded ones. Factor k = 0 .. count-1 is at index `k * stride`.
struct OperandTerms {
  const double* values;
  const double* rounded;
  std::size_t stride;
};

/// The result of comparing one element of a product, `c = a b` or `c + a b`, with its error bounds.
struct ElementVerdict {
  /// The whole error divided by its bound, |got - exact| / bound. 0 / 0 counts as 0. The ratio is
  /// infinite if got is NaN, or if the error is not 0 and the bound is 0.
  double of_bound = 0;
  /// The error of the sums divided by its bound. This error is |got - p|, where p is the exact
  /// product of the rounded operands.
  double of_sums = 0;
  /// False if an operand or a partial sum may overflow. Then there is no bound, and every result is
  /// accepted.
  bool judged = true;
};

/// Compares one element of a product with its error bounds.
/// Source    docs/error_analysis.md, section 9
/// Computes  a bound that is the sum of three parts. Let n be the number of terms, and let
///           `A = sum |a b|` over the rounded operands. The first part, for the sums, is
///           `gamma(growth n) A` plus the errors of underflows; `growth` is a member of
///           ProductArithmetic. The second part, for the operands, is `sum |a b - rounded a b|`.
///           The third part is one rounding, for storing the sum of `c` and the product. For tensor
///           cores, a subnormal operand counts in `A` as the smallest normal number. In float64,
///           the old total `c` is one more term of the sum
ElementVerdict judge_element(const ProductArithmetic& arithmetic, std::size_t count, OperandTerms a,
                             OperandTerms b, std::optional<double> old_total, double got);

/// Compares one element with a tolerance of 0: `got` must be the exact result.
/// Requires  every partial sum, in any order, is representable in the formats
ElementVerdict judge_exact_element(std::size_t count, OperandTerms a, OperandTerms b,
                                   std::optional<double> old_total, double got);

}  // namespace normproof::verification::checks::agreement
