#pragma once

#include <functional>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::checks::regression {

/// Computes the outputs of a case from its finite inputs; nothing if it has none.
using Evaluate = std::function<std::optional<ref::tensor::NamedTensors<double>>(
    const golden::corpus::Case& c, const ref::model::OperationInputs& inputs)>;

/// Returns a candidate that computes in `double`, so that its outputs are float64 for every dtype
/// of the case. Elements that depend on an infinity or a NaN of the inputs are NaN; they are found
/// by evaluating twice. A case without outputs is declined.
golden::gate::Candidate double_candidate(Evaluate evaluate);

/// Returns a candidate that computes with this program's own layers, those of ref/norm.
golden::gate::Candidate own_candidate();

}  // namespace normproof::verification::checks::regression
