#pragma once

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden {

/// Returns an attention case with one sample, one head of queries and keys, and no mask. The extent
/// of each head is 1.
inline Case attention_case(const std::vector<double>& q, const std::vector<double>& k,
                           const std::vector<double>& v, const std::vector<double>& grad_y,
                           DType dtype = DType::float64) {
  Case c;
  c.reason = "sample";
  c.why = "a test's own";
  c.options = ref::model::operation("attention");
  c.dtype = dtype;
  const auto put = [&](const char* name, const std::vector<double>& values) {
    c.inputs.push_back(make_stored_tensor(name, dtype, {1, 1, values.size(), 1}, values));
  };
  put("grad_y", grad_y);
  put("k", k);
  put("q", q);
  put("v", v);
  return c;
}

}  // namespace normproof::verification::golden
