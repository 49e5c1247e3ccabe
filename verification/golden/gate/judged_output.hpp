#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verification/checks/compare/comparison.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/judged_values.hpp"
#include "verification/golden/gate/parts.hpp"

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
  /// Compares only some elements of an output (is_judged_in_ranges).
  JudgedOutput(const StoredCase& stored, const std::vector<StoredTensor>& answer, std::string name,
               const tolerance::Tolerance& bounds, ElementRange range);

  /// The elements that decide about the result of an output.
  struct Extremes {
    struct Element {
      std::size_t index = 0;
      double ratio = -1, got = 0, exact = 0, bound = 0, input_sensitivity = 0;
    };
    std::optional<Element> not_finite =
        {};                             ///< the first that should be NaN or infinite, and is not
    std::optional<Element> worst = {};  ///< the first with the largest ratio of all others
    double largest_exact = 0, largest_error = 0;
  };
  /// Adds the comparison of the elements to the result of the output. Ranges are added in ascending
  /// order.
  void compare_elements(TensorResult& result, Extremes& extremes) const;
  /// Adds the elements to the parts of the output.
  void add_to_parts(std::size_t elements_per_part, std::vector<Part>& parts) const {
    gate::add_to_parts(exact_, range_.begin, elements_per_part, parts);
  }

  /// Returns |error| / bound for each element, as error_to_bound_ratios does.
  std::vector<double> error_ratios() const;

  std::size_t size() const { return exact_.high.size(); }
  /// Returns the verdict on element i if `value` were the candidate's value of that element.
  /// Elements are judged independently of each other. If one element is rejected, the output is
  /// rejected.
  ElementVerdict verdict(std::size_t i, double value) const;

 private:
  ref::numeric::oracle100 exact(std::size_t i) const;
  checks::compare::Comparison compare_judged_output(const std::vector<double>& got,
                                                    const std::vector<std::size_t>& judged,
                                                    const std::vector<double>& bounds) const;
  std::vector<std::size_t> find_open_elements(const std::vector<double>& got,
                                              const std::vector<std::size_t>& judged,
                                              const std::vector<double>& bounds) const;
  double compute_error_at(std::size_t i, double got) const;
  void add_metrics(const std::vector<double>& got, const std::vector<std::size_t>& judged,
                   const std::vector<double>& bounds, TensorResult& result,
                   Extremes& extremes) const;

  std::string name_;
  const StoredTensor& answer_;
  ElementRange range_;
  JudgedValues exact_;
};

/// Compares an output of a candidate with the exact values. Makes a map of the errors if the output
/// fails and `with_map` is set. Stores the parts of the output in `parts` if it is given.
///
/// Computes  the elements in ranges, so that the values and bounds of few elements exist at a time
/// Requires  the conditions of compute_judged_values
TensorResult judge_output(const StoredCase& stored, const std::vector<StoredTensor>& answer,
                          const std::string& name, const tolerance::Tolerance& bounds,
                          bool with_map, std::vector<Part>* parts = nullptr);

}  // namespace normproof::verification::golden::gate
