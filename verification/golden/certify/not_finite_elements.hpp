#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ref/model/operation_inputs.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

/// A function that computes the outputs of a case from finite inputs. It returns nothing if it does
/// not support the case.
using Evaluate = std::function<std::optional<ref::tensor::NamedTensors<double>>(
    const corpus::Case& c, const ref::model::OperationInputs& inputs)>;

/// Determines which elements of the outputs of a case are infinite or NaN: NaN if an element
/// depends on an input that is not finite and is no limit, -infinity if that is its limit.
///
/// An element depends on such an input if it changes when other finite numbers replace the input.
/// `evaluate` is therefore called twice if the inputs of the case are not all finite, and the
/// inputs are copied then.
///
/// In a case of a user, correct implementations may differ in two ways, and such elements are
/// undetermined. An operation reads the input although its value has no effect, such as 0 times NaN
/// or NaN minus itself. Or a comparison reads the input, and no arithmetic does, as in the gradient
/// of relu. The elements of log_sum_exp are also undetermined if they depend on +infinity, and
/// no element of their row is NaN: the limit is finite or infinite, and a difference of infinities
/// is NaN.
class NotFiniteElements {
 public:
  /// `inputs` are those of the case, without replacements. `c` must outlive the object.
  NotFiniteElements(const Evaluate& evaluate, const corpus::Case& c,
                    const ref::model::OperationInputs& inputs);

  /// Sets the elements of an output that are not finite. The other elements are unchanged.
  void set(const std::string& name, std::vector<double>& values) const;

  /// Whether both a finite number and NaN are right as element i of an output.
  bool is_undetermined(const std::string& name, std::size_t i) const;

 private:
  bool changes(const std::string& name, std::size_t i) const;
  bool is_nan(const std::string& name, std::size_t i) const;
  bool only_comparison_reads_x(const std::string& output) const;
  bool may_be_dropped_at_limit(const std::string& name, std::size_t i) const;

  const corpus::Case& case_;
  ref::model::OperationInputs inputs_;  ///< empty if all inputs are finite
  bool is_used_;
  /// Whether elements may be undetermined.
  bool is_of_user_;
  ref::tensor::NamedTensors<double> results_, others_;
  /// 0 for an element that no operation computes from an input that is not finite.
  ref::tensor::NamedTensors<double> connections_;
};

}  // namespace normproof::verification::golden::certify
