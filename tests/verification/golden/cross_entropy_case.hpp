#pragma once

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden {

/// Returns a case of cross_entropy with two rows of two classes. All logits are 0, the targets are
/// 0 and 1.
inline Case cross_entropy_case_of_two_rows(DType dtype = DType::float64) {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.options = ref::model::operation("cross_entropy");
  c.dtype = dtype;
  c.inputs = {make_stored_tensor("logits", dtype, {2, 2}, {0, 0, 0, 0}),
              make_stored_tensor("targets", DType::int64, {2}, {0, 1})};
  return c;
}

}  // namespace normproof::verification::golden
