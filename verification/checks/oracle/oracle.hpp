#pragma once

#include "verification/checks/oracle/gradients.hpp"

namespace normproof::verification::checks::oracle {

/// The results of one step of the oracle. They have the names and the order of the results of ref.
struct OracleStep {
  NamedTensors<oracle100> outputs;
  NamedTensors<oracle100> state;
};

/// Runs one step of any layer from its mathematical definition at 100 digits. The backward runs if
/// inputs.grad_y is given. The oracle uses no code of ref/ops or ref/norm, so that agreement with
/// them is evidence.
///
/// Source    docs/specification/norms.md. The backward differentiates the forward by `method`. The
///           training backward of power_norm and power_norm_released is not a derivative; it is
///           from docs/derivations/norms.md, section 6
/// Requires  the preconditions of complete_arguments and evaluate; (C10) state has the names and
///           shapes of initial_state
/// Error     about 1e-97 relative to the sums of magnitudes involved
/// Throws    ContractError
OracleStep step(const ref::model::NormOptions& options, const OracleInputs& inputs,
                const NamedTensors<oracle100>& state, Method method = Method::dual);

/// Returns the state of a layer before the first step, as model::norm_layer states it.
NamedTensors<oracle100> initial_state(const ref::model::NormOptions& options, std::size_t d_model);

}  // namespace normproof::verification::checks::oracle
