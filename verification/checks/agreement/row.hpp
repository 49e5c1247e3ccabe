#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"

namespace normproof::verification::checks::agreement {

/// The result of comparing one operation: the number of cases and elements, and the first element
/// that differs.
struct Row {
  std::string operation;
  std::size_t cases = 0;
  std::size_t elements = 0;
  std::size_t refused = 0;     ///< cases that both sides reject with the same error message
  double of_bound = 0;         ///< maximum ratio of error and bound, for products by a library
  double of_sums = 0;          ///< maximum ratio of error and bound of the sums alone
  std::size_t not_judged = 0;  ///< elements without a bound
  /// The first difference as text: case, tensor, index and both values in hexadecimal. Empty if
  /// nothing differs.
  std::string difference = {};
};

/// The results of all operations that have been compared: one row per operation, in the order in
/// which they occur.
class Rows {
 public:
  /// Begins a case of an operation. All calls until the next begin() belong to this case.
  void begin(const std::string& operation, std::string_view case_name);
  /// Compares a tensor with the expected tensor: their shapes, and the bits of their elements.
  void compare(std::string_view tensor, const ref::tensor::Tensor<double>& got,
               const ref::tensor::Tensor<double>& expected);
  void compare(std::string_view tensor, double got, double expected);
  /// Adds the comparison of one element of a library's product. If the error of the element exceeds
  /// a bound, `element` is called to describe the element.
  void judge(const ElementVerdict& verdict, const std::function<std::string()>& element);
  /// Reports a difference that is not about an element, such as a missing error.
  void report_difference(std::string_view sentence);
  /// Counts a case that ref and the device rejected with the same error message.
  void refuse();

  const std::vector<Row>& all() const { return rows_; }
  /// Returns the row of the current operation.
  const Row& last() const { return rows_[current_]; }
  /// Whether all operations agree, that is, none has a difference.
  bool agree() const;
  std::size_t cases() const;

 private:
  Row& row() { return rows_[current_]; }

  std::vector<Row> rows_;
  std::size_t current_ = 0;
  std::string case_name_;
};

}  // namespace normproof::verification::checks::agreement
