#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/checks/compare/comparison.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::golden::gate {

/// The gate's word on one element.
enum class ElementVerdict {
  refused,
  right,    ///< the number that is expected, or not finite where NaN is
  within,   ///< another one, within the bound
  unjudged  ///< nothing is claimed of it
};

/// One output of an answer: the elements that are judged, side by side.
class JudgedOutput {
 public:
  /// Requires  as judged_values; the answer outlives it
  JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer, std::string name,
               const tolerance::Tolerance& bounds);

  TensorResult judge(bool with_map) const;

  /// Of each element, as element_shares.
  std::vector<double> shares() const;

  std::size_t size() const { return exact_.high.size(); }
  /// What `judge` says of element i where the answer has `value` there, and nothing else is
  /// another one: the verdict on an element is its own. Where it is refused, so is the answer.
  ElementVerdict verdict(std::size_t i, double value) const;

 private:
  TensorResult compared() const;
  void at(TensorResult& result, std::size_t i, double got, double bound) const;
  ref::numeric::oracle100 exact(std::size_t i) const;
  checks::compare::Comparison side_by_side(const std::vector<double>& got,
                                           const std::vector<std::size_t>& judged,
                                           const std::vector<double>& bounds) const;
  double error_at(std::size_t i, double got) const;
  void measure(const std::vector<double>& got, const std::vector<std::size_t>& judged,
               const std::vector<double>& bounds, TensorResult& result) const;

  std::string name_;
  const StoredTensor& answer_;
  std::vector<std::size_t> shape_;
  JudgedValues exact_;
};

}  // namespace normproof::verification::golden::gate
