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
/// `evaluate` is therefore called twice if the inputs of the case are not all finite.
class NotFiniteElements {
 public:
  /// `inputs` are those of the case, without replacements. `c` and `inputs` must outlive the
  /// object.
  NotFiniteElements(const Evaluate& evaluate, const corpus::Case& c,
                    const ref::model::OperationInputs& inputs);

  /// Sets the elements of an output that are not finite. The other elements are unchanged.
  void set(const std::string& name, std::vector<double>& values) const;

 private:
  const corpus::Case& case_;
  const ref::model::OperationInputs& inputs_;
  bool is_used_;
  ref::tensor::NamedTensors<double> results_, others_;
};

}  // namespace normproof::verification::golden::certify
