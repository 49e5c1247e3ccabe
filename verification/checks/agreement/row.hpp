#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"

namespace normproof::verification::checks::agreement {

/// The result for one operation: how much was compared, and the first element that differs.
struct Row {
  std::string operation;
  std::size_t cases = 0;
  std::size_t elements = 0;
  std::size_t refused = 0;     ///< cases that both sides reject with the same error message
  double of_bound = 0;         ///< maximum ratio of error and bound, for products by a library
  double of_sums = 0;          ///< maximum ratio of error and bound of the sums alone
  std::size_t not_judged = 0;  ///< elements without a bound
  /// case, tensor, index and both values in hexadecimal; empty if there is none.
  std::string difference = {};
};

/// The rows, in the order in which their operations first occur.
class Rows {
 public:
  /// Begins a case of an operation. The following calls belong to it.
  void begin(const std::string& operation, std::string_view case_name);
  /// Expects the shape and the bits of `expected`.
  void compare(std::string_view tensor, const ref::tensor::Tensor<double>& got,
               const ref::tensor::Tensor<double>& expected);
  void compare(std::string_view tensor, double got, double expected);
  /// Adds an element of a library's product. `element` describes it if it exceeds a bound.
  void judge(const ElementVerdict& verdict, const std::function<std::string()>& element);
  /// Reports a difference that does not concern an element.
  void differ(std::string_view sentence);
  /// Counts a case that both ref and the device rejected with the same error message.
  void refuse();

  const std::vector<Row>& all() const { return rows_; }
  /// The row of the current operation.
  const Row& last() const { return rows_[current_]; }
  /// Whether nothing differs; true if there are no rows.
  bool agree() const;
  std::size_t cases() const;

 private:
  Row& row() { return rows_[current_]; }

  std::vector<Row> rows_;
  std::size_t current_ = 0;
  std::string case_name_;
};

}  // namespace normproof::verification::checks::agreement
