#pragma once

#include "verification/checks/agreement/product_tap.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// Holds products of a library to their bounds, element by element, in a row's current case.
class ProductJudge {
 public:
  /// `exact`: with a tolerance of 0. `rows` has to stay.
  ProductJudge(Rows& rows, const ProductArithmetic& arithmetic, bool exact)
      : rows_(rows), arithmetic_(arithmetic), exact_(exact) {}

  void operator()(const SeenProduct& product);
  /// How many it was shown.
  std::size_t seen() const { return seen_; }

 private:
  Rows& rows_;
  ProductArithmetic arithmetic_;
  bool exact_;
  std::size_t seen_ = 0;
};

}  // namespace normproof::verification::checks::agreement
