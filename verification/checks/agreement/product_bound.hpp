#pragma once

#include <cstddef>
#include <optional>

#include "gpu/ops/library_products.hpp"

/// Bounds how far a library's product may be from the exact one, in any order of summation. The
/// proof is in docs/error_analysis.md, section 9.
namespace normproof::verification::checks::agreement {

/// The guarantees about the arithmetic of a library.
struct ProductArithmetic {
  ref::numeric::FloatFormat operand;  ///< the format to which operands are rounded, to nearest
  /// The relative error of one operation of the sums: 2^-53 or 2^-24 to nearest; 2^-23 if sums are
  /// truncated, in which case any number of terms may be added at once, aligned to the largest.
  double sum_unit;
  int growth;  ///< maximum number of operations per term divided by the number of terms: 1 or 3
  double sum_largest;     ///< a partial sum above it may overflow
  double least;           ///< maximum error of an operation of the sums that underflows
  bool rounds_once_more;  ///< c + p is computed in double after the sums
  bool aligns;  ///< tensor cores: a subnormal operand counts as the smallest normal number
};
ProductArithmetic product_arithmetic(gpu::ops::Precision precision);

/// Returns an operand rounded to the format, to nearest, ties to even.
double rounded_operand(const ProductArithmetic& arithmetic, double v);

/// The terms of one operand of an element, k = 0 .. count-1, as given and as rounded, with a
/// stride.
struct OperandTerms {
  const double* values;
  const double* rounded;
  std::size_t stride;
};

/// The result of comparing one element of c = a b, or c + a b, with its bounds.
struct ElementVerdict {
  /// |got - exact| divided by its bound. 0 divided by 0 is 0. The ratio is infinite for a NaN, and
  /// for a nonzero error with a bound of 0.
  double of_bound = 0;
  /// |got - exact product of the rounded operands| divided by the bound of the sums alone.
  double of_sums = 0;
  /// False if an operand or a partial sum may overflow, in which case nothing is claimed.
  bool judged = true;
};

/// Compares one element with its bounds.
/// Source    docs/error_analysis.md, section 9
/// Computes  for n terms, A = sum |a b| of the rounded operands (for tensor cores, subnormal ones
///           count as the smallest normal number) and the old total c, if there is one: the error
///           of the sums is at most gamma(growth n) A plus the underflows, that of the operands is
///           sum |a b - rounded a b|, and c + p adds its own rounding. In float64 c is one more
///           term
ElementVerdict judge_element(const ProductArithmetic& arithmetic, std::size_t count, OperandTerms a,
                             OperandTerms b, std::optional<double> old_total, double got);

/// Like judge_element with a tolerance of 0: `got` must be the exact result.
/// Requires  every partial sum, in any order, is a number of the formats
ElementVerdict judge_exact_element(std::size_t count, OperandTerms a, OperandTerms b,
                                   std::optional<double> old_total, double got);

}  // namespace normproof::verification::checks::agreement
