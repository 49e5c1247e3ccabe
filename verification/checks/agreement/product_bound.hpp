#pragma once

#include <cstddef>
#include <optional>

#include "gpu/ops/library_products.hpp"

/// How far a library's product may be from the exact one, whatever its order: proved in
/// docs/derivations/error_analysis.md, section 9.
namespace normproof::verification::checks::agreement {

/// What is promised of the arithmetic of a library.
struct ProductArithmetic {
  ref::numeric::FloatFormat operand;  ///< what operands are rounded to, to nearest
  /// Relative error of one operation of the sums: 2^-53 and 2^-24 to nearest; 2^-23 where they
  /// truncate, and add any number of terms at once, aligned to the largest.
  double sum_unit;
  int growth;             ///< operations that a term may meet, over the number of terms: 1, or 3
  double sum_largest;     ///< above it a partial sum may overflow
  double least;           ///< an operation of the sums is off by no more where it underflows
  bool rounds_once_more;  ///< c + p in double, apart from the sums
  bool aligns;            ///< tensor cores: a subnormal operand counts as the least normal number
};
ProductArithmetic arithmetic_of(gpu::ops::Precision precision);

/// One operand rounded to the format, to nearest, ties to even.
double rounded_operand(const ProductArithmetic& arithmetic, double v);

/// The terms of one operand of an element, k = 0 .. count-1, as given and rounded, at strides.
struct OperandTerms {
  const double* values;
  const double* rounded;
  std::size_t stride;
};

/// What one element of c = a b, or c + a b, is held to.
struct ElementVerdict {
  /// |got - exact| over its bound: 0 over 0 is 0, a NaN or what is not covered by a bound of 0 is
  /// infinite.
  double of_bound = 0;
  /// |got - exact product of the rounded operands| over the bound of the sums alone.
  double of_sums = 0;
  bool judged = true;  ///< false where an operand or a partial sum may overflow: nothing is claimed
};

/// Source    docs/derivations/error_analysis.md, section 9
/// Computes  for n terms, with A = sum |a b| of the rounded operands, for tensor cores with a
///           subnormal one taken as the least normal number, and the old total c, if there is one:
///           the sums may be off by gamma(growth n) A and the underflows; the operands by
///           sum |a b - rounded a b|; c + p by its own rounding. In float64 c is one more term
ElementVerdict judge_element(const ProductArithmetic& arithmetic, std::size_t count, OperandTerms a,
                             OperandTerms b, std::optional<double> old_total, double got);

/// judge_element with a tolerance of 0: `got` has to be the exact result.
/// Requires  every partial sum, in any order, is a number of the formats
ElementVerdict judge_exact_element(std::size_t count, OperandTerms a, OperandTerms b,
                                   std::optional<double> old_total, double got);

}  // namespace normproof::verification::checks::agreement
