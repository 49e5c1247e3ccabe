#pragma once

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::FunctionInputs;

/// Computes  y, and where there is a grad_y the gradients of what else goes in, grad_x and the
///           like, in any scalar: the inputs are exact; of attention log_sum_exp, where every query
///           sees a key; of what adds a residual the sum
/// Requires  those of the function in ref/ops, ref/nn or ref/norm; (C1) no mask where the function
///           takes none
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_function(const ref::model::FunctionOptions& function,
                                          const FunctionInputs& inputs);

}  // namespace normproof::verification::checks::evaluation
