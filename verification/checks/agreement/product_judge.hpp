#pragma once

#include "verification/checks/agreement/product_tap.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// Compares products of a library with their error bounds, element by element, and adds the results
/// to the current case of a row.
class ProductJudge {
 public:
  /// If `exact` is true, the tolerance is 0. The object keeps a reference to `rows`, which must
  /// outlive it.
  ProductJudge(Rows& rows, const ProductArithmetic& arithmetic, bool exact)
      : rows_(rows), arithmetic_(arithmetic), exact_(exact) {}

  void operator()(const ObservedProduct& product);
  /// Returns the number of products that have been compared.
  std::size_t seen() const { return seen_; }

 private:
  Rows& rows_;
  ProductArithmetic arithmetic_;
  bool exact_;
  std::size_t seen_ = 0;
};

}  // namespace normproof::verification::checks::agreement
