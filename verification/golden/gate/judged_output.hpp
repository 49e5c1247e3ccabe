#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/compare/comparison.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

/// The gate's verdict on one element of an output.
enum class ElementVerdict {
  refused,
  /// The element equals the expected number, or NaN is expected and the element is not finite.
  right,
  within,   ///< the element differs from the expected number but is within the bound
  unjudged  ///< the bound is infinite, so that any value passes
};

/// Compares one output of a candidate with the exact values, element by element.
class JudgedOutput {
 public:
  /// Requires  the conditions of compute_judged_values; `answer` outlives this object
  JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer, std::string name,
               const tolerance::Tolerance& bounds);

  TensorResult judge(bool with_map) const;

  /// Returns |error| / bound for each element, as error_to_bound_ratios does.
  std::vector<double> error_ratios() const;

  std::size_t size() const { return exact_.high.size(); }
  /// Returns, for each element, whether its bound says nothing (parts.hpp).
  const std::vector<bool>& vacuous() const { return vacuous_; }
  /// Returns the verdict on element i if `value` were the candidate's value of that element.
  /// Elements are judged independently of each other. If one element is rejected, the output is
  /// rejected.
  ElementVerdict verdict(std::size_t i, double value) const;

 private:
  TensorResult compare_elements() const;
  void at(TensorResult& result, std::size_t i, double got, double bound) const;
  ref::numeric::oracle100 exact(std::size_t i) const;
  checks::compare::Comparison compare_judged_output(const std::vector<double>& got,
                                                    const std::vector<std::size_t>& judged,
                                                    const std::vector<double>& bounds) const;
  double compute_error_at(std::size_t i, double got) const;
  void add_metrics(const std::vector<double>& got, const std::vector<std::size_t>& judged,
                   const std::vector<double>& bounds, TensorResult& result) const;

  std::string name_;
  const StoredTensor& answer_;
  std::vector<std::size_t> shape_;
  JudgedValues exact_;
  std::vector<bool> vacuous_;
};

}  // namespace normproof::verification::golden::gate
