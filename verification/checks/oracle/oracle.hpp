#pragma once

#include "verification/checks/oracle/gradients.hpp"

namespace normproof::verification::checks::oracle {

/// The results of one step, under the names and in the order of ref's records.
struct OracleStep {
  NamedTensors<oracle100> outputs;
  NamedTensors<oracle100> state;
};

/// Runs one step of any layer from its definition at 100 digits. The backward runs if inputs.grad_y
/// is given. The oracle uses no code of ref/ops or ref/norm, so agreement with them is evidence.
///
/// Source    docs/specification/norms.md; the backward differentiates the forward by `method`,
///           except that the training backward of both PowerNorms, which is not a Jacobian, is from
///           docs/derivations/norms.md, section 6
/// Requires  the preconditions of complete_arguments and evaluate; (C10) state has the names and
///           shapes of initial_state
/// Error     about 1e-97 relative to the sums of magnitudes involved
/// Throws    ContractError
OracleStep step(const ref::model::NormOptions& options, const OracleInputs& inputs,
                const NamedTensors<oracle100>& state, Method method = Method::dual);

/// Returns the state before the first step, as model::norm_layer states it.
NamedTensors<oracle100> initial_state(const ref::model::NormOptions& options, std::size_t d_model);

}  // namespace normproof::verification::checks::oracle
