#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ref/tensor/tensor.hpp"
#include "verification/checks/agreement/product_bound.hpp"

namespace normproof::verification::checks::agreement {

/// What came of one operation: how much was compared, and the first element that differs.
struct Row {
  std::string operation;
  std::size_t cases = 0;
  std::size_t elements = 0;
  std::size_t refused = 0;      ///< cases that both sides refuse, in the same words
  double of_bound = 0;          ///< of products by a library: the largest share of a bound
  double of_sums = 0;           ///< the same of the bound of the sums alone
  std::size_t not_judged = 0;   ///< elements of which no bound says anything
  std::string difference = {};  ///< case, tensor, index and both values as hex; empty: none
};

/// The rows, in the order in which their operations first come.
class Rows {
 public:
  /// Begins a case of an operation; what follows belongs to it.
  void begin(const std::string& operation, std::string_view case_name);
  /// The shape and the bits have to be those of `expected`.
  void compare(std::string_view tensor, const ref::tensor::Tensor<double>& got,
               const ref::tensor::Tensor<double>& expected);
  void compare(std::string_view tensor, double got, double expected);
  /// An element of a library's product; what it is is said where it is past a bound.
  void judge(const ElementVerdict& verdict, const std::function<std::string()>& element);
  /// Something else than an element differs.
  void differ(std::string_view sentence);
  /// Counts a case that ref and the device both refused, with one sentence.
  void refuse();

  const std::vector<Row>& all() const { return rows_; }
  /// The row of the operation begun last.
  const Row& last() const { return rows_[current_]; }
  /// Whether nothing differs; true of no rows.
  bool agree() const;
  std::size_t cases() const;

 private:
  Row& row() { return rows_[current_]; }

  std::vector<Row> rows_;
  std::size_t current_ = 0;
  std::string case_name_;
};

}  // namespace normproof::verification::checks::agreement
