#pragma once

#include <functional>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::checks::regression {

/// Computes  the answer to a case from its inputs, which are finite; nothing where it has none.
using Evaluate = std::function<std::optional<ref::tensor::NamedTensors<double>>(
    const golden::corpus::Case& c, const ref::model::OperationInputs& inputs)>;

/// Answers in `double`, float64 whatever the dtype of the case is; NaN where an infinity or a NaN
/// of the inputs reaches, which is seen by evaluating twice. A case without an answer is declined.
golden::gate::Ask from_double(Evaluate evaluate);

/// Answers are this program's own: the layers of ref/norm.
golden::gate::Ask from_this_program();

}  // namespace normproof::verification::checks::regression
