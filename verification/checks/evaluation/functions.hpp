#pragma once

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::FunctionInputs;

/// Runs a function in any scalar type. The inputs are exact.
/// Computes  y. If there is a grad_y, also the gradients of all other inputs, such as grad_x.
///           Attention also returns log_sum_exp, if every query sees a key or has a sink. Functions
///           that add a residual also return the sum, and merge_attention_states the log_sum_exp of
///           the merged splits
/// Requires  the preconditions of the function in ref/ops, ref/nn or ref/norm; (C1) no mask if the
///           function has none
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_function(const ref::model::FunctionOptions& function,
                                          const FunctionInputs& inputs);

}  // namespace normproof::verification::checks::evaluation
