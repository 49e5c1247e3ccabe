#pragma once

#include <string>
#include <vector>

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::OptimizerTensors;

/// Returns the names of an optimizer's state other than the number of steps: "velocity" for sgd
/// with momentum; "first_moment" and "second_moment" for adam and adamw.
std::vector<std::string> moment_names(const ref::model::OptimizerOptions& options);

/// Runs steps of an optimizer in any scalar type. The inputs are exact.
/// Computes  parameter, the moments and iterations after each step of ref/train, with the learning
///           rate of the operation. The input `iterations` is the number of earlier steps;
///           beta^iterations is computed by repeated multiplication
/// Shapes    with `stacked`, each tensor has a leading axis of steps; otherwise there is one step
/// Requires  the preconditions of optimizer_step; (C1) iterations is a whole number, from 0 to 1e6
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_optimizer(const ref::model::OptimizerOperation& operation,
                                           const OptimizerTensors& inputs, bool stacked);

}  // namespace normproof::verification::checks::evaluation
