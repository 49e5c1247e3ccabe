#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

/// How an implementation computes sums over rows: the arithmetic of its operations, and the order
/// of the terms of its sums.
struct SumArithmetic {
  ref::numeric::Arithmetic arithmetic;
  /// Whether the terms of a sum may be added in any order. Otherwise the order is that of
  /// sum_norm_over_rows.
  bool any_order = true;
};

/// Sums over the rows of a block, one per parameter, in `double`.
struct SumsOverRows {
  std::string name;  ///< "grad_gamma" or "grad_beta"
  std::vector<double> value;
  std::vector<double> terms;  ///< the number of terms that are not 0
  /// The sum of the largest magnitudes that the terms may have, and the sum of their errors.
  std::vector<double> magnitude, propagated;
  std::size_t columns = 1;  ///< the number of columns that were added to one sum
};

/// The sums over the rows of several blocks, which are added in ascending order.
class NormSums {
 public:
  explicit NormSums(const SumArithmetic& arithmetic) : arithmetic_(arithmetic) {}

  /// Adds the sums of a block with `rows` rows.
  void append(const std::vector<SumsOverRows>& block, std::size_t rows);
  const std::vector<SumsOverRows>& sums() const { return sums_; }
  /// Returns the largest distance of an implementation's sum, and of `value`, from the exact sum.
  /// It is infinite if the sum may overflow.
  double error(const SumsOverRows& sum, std::size_t i) const;

 private:
  SumArithmetic arithmetic_;
  std::vector<SumsOverRows> sums_ = {};
  std::size_t blocks_ = 0;
  std::size_t largest_block_ = 0;  ///< the largest number of rows in a block
};

/// Computes the gradients of gamma and beta of a norm for the rows [begin, end), and the error
/// bounds of their terms, in loops over `double`. This is many times faster than the evaluation of
/// the operation with a scalar that has an error bound.
///
/// Source    docs/error_analysis.md, section 8; ref::numeric::any_order_error
/// Computes  for layer_norm, rms_norm, scale_norm, add_layer_norm and add_rms_norm, the sums over
///           rows of grad_y x_hat and of grad_y. The error of a term is that of any_order_error
///           with `arithmetic`, and a variance has the lower bound of VarianceBound. The roots of
///           other statistics lack the lower bounds of single squares, so that the bound may be
///           larger by the fraction 6 (D + 10) u. The rows are added in ascending order. The result
///           is empty if an input is not finite or if a number may overflow; the caller then
///           evaluates the operation
/// Requires  `c` has independent rows and grad_y, and has_norm_sums
std::optional<std::vector<SumsOverRows>> sum_norm_over_rows(const corpus::Case& c,
                                                            std::size_t begin, std::size_t end,
                                                            const SumArithmetic& arithmetic);

/// Computes the sums over all rows of a case, block by block. The result is empty if that of
/// sum_norm_over_rows is empty for a block. `threads` blocks are computed at a time; their number
/// changes no bit.
/// Throws    the exceptions of `progress`
std::optional<NormSums> sum_norm_over_blocks(const corpus::Case& c, const RowBlocks& blocks,
                                             const SumArithmetic& arithmetic, int threads,
                                             const Progress& progress);

/// Whether the operation has outputs that are sums over the rows, as its first row shows.
/// Requires  a case with independent rows
bool has_sums_over_rows(const corpus::Case& c);

/// Returns the number of elements of x in a block for these sums. The blocks are larger than those
/// of RowBlocks, because few numbers exist for each element.
inline constexpr std::size_t kElementsOfNormSums = std::size_t{1} << 20;

/// Whether sum_norm_over_rows supports the operation, the arithmetic and the dtypes of a case that
/// has grad_y.
bool has_norm_sums(const corpus::Case& c, const ref::numeric::Arithmetic& arithmetic);

}  // namespace normproof::verification::golden::certify
