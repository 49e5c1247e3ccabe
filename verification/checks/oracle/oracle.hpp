#pragma once

#include "verification/checks/oracle/gradients.hpp"

namespace normproof::verification::checks::oracle {

/// What one step leaves behind, under the names and in the order of ref's records.
struct OracleStep {
  NamedTensors<oracle100> outputs;
  NamedTensors<oracle100> state;
};

/// One step of any layer, from its definition at 100 digits; backward where inputs.grad_y is given.
/// It sees nothing of ref/ops and ref/norm, so that agreement with them is evidence.
///
/// Source    docs/specification/norms.md; backward: derivatives of the forward by `method`; the
///           training backward of both PowerNorms, which is no Jacobian, from
///           docs/derivations/norms.md, section 6
/// Requires  as written_out and evaluate; (C10) state has the names and shapes of initial_state
/// Error     about 1e-97 relative to the sums of magnitudes involved
/// Throws    ContractError
OracleStep step(const ref::model::NormOptions& options, const OracleInputs& inputs,
                const NamedTensors<oracle100>& state, Method method = Method::dual);

/// The state before the first step, as model::norm_layer has it.
NamedTensors<oracle100> initial_state(const ref::model::NormOptions& options, std::size_t d_model);

}  // namespace normproof::verification::checks::oracle
