#pragma once

#include <functional>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// A function that computes the outputs of a case from finite inputs. It returns nothing if it does
/// not support the case.
using Evaluate = std::function<std::optional<ref::tensor::NamedTensors<double>>(
    const corpus::Case& c, const ref::model::OperationInputs& inputs)>;

/// Returns a candidate that computes in `double` with the function `evaluate`. It declines a case
/// if `evaluate` returns nothing. All floating-point outputs are float64, whatever the dtype of the
/// case is. Elements that depend on an infinity or a NaN of the inputs are NaN. To find these
/// elements, `evaluate` is called twice with different finite replacements.
Candidate double_candidate(Evaluate evaluate);

/// Returns a candidate that runs the reference implementation of this program in `double`.
Candidate reference_candidate();

}  // namespace normproof::verification::golden::candidate
