#pragma once

#include <string>
#include <vector>

#include "ref/model/operation.hpp"
#include "ref/model/operation_inputs.hpp"

namespace normproof::verification::checks::evaluation {

using ref::model::OptimizerTensors;

/// What an optimizer carries beside the number of its steps: sgd with momentum "velocity"; adam and
/// adamw "first_moment", "second_moment".
std::vector<std::string> moment_names(const ref::model::OptimizerOptions& options);

/// Computes  parameter, the moments and iterations after each step of ref/train with the learning
///           rate of the operation, in any scalar: the inputs are exact. iterations are the steps
///           done before; the powers beta^iterations come from products
/// Shapes    with `stacked` a leading axis of steps before each of them; else one step
/// Requires  those of optimizer_step; (C1) iterations is a whole number, from 0 to 1e6
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_optimizer(const ref::model::OptimizerOperation& operation,
                                           const OptimizerTensors& inputs, bool stacked);

}  // namespace normproof::verification::checks::evaluation
