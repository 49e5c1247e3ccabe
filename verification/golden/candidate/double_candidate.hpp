#pragma once

#include <functional>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// Computes the outputs of a case from its inputs, which are finite; returns nothing if it does not
/// support the case.
using Evaluate = std::function<std::optional<ref::tensor::NamedTensors<double>>(
    const corpus::Case& c, const ref::model::OperationInputs& inputs)>;

/// Returns a candidate that computes in `double`. Its outputs are float64 whatever the dtype of the
/// case is, and NaN in the elements that depend on an infinity or a NaN of the inputs; two
/// evaluations with different replacements show which these are. It declines a case for which
/// `evaluate` returns nothing.
Candidate double_candidate(Evaluate evaluate);

/// Returns this program itself as a candidate: the reference in `double`.
Candidate own_candidate();

}  // namespace normproof::verification::golden::candidate
