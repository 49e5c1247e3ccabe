#pragma once

#include <cstddef>

#include "ref/numeric/errors.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::evaluation {

/// The error that a layer reports in one step of a sequence.
class StepError : public ref::numeric::ContractError {
 public:
  StepError(std::size_t step, const ContractError& error) : ContractError(error), step_(step) {}
  std::size_t step() const { return step_; }  ///< from 0

 private:
  std::size_t step_;
};

/// Runs a norm layer step by step in any scalar type. Each step starts from the state after the
/// previous one. The inputs are exact.
///
/// Computes  the outputs and the state of norm_step, in the order in which the layer returns them
/// Shapes    the shapes of one step, with x, grad_y, y and grad_x in the layout of the options;
///           with `stacked`, every result has a leading axis of S steps
/// Requires  the preconditions of norm_step; (C1) at least one step, and exactly one without
///           `stacked`
/// Throws    StepError if a step is rejected, otherwise ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_sequence(const ref::model::NormOptions& options,
                                          const EvalInputs& inputs, bool stacked);

/// Runs any operation in any scalar type. A norm layer runs its steps as in run_sequence, and an
/// optimizer runs its steps. All other operations run once.
/// Throws    ContractError
template <ref::numeric::Real T>
ref::tensor::NamedTensors<T> run_operation(const ref::model::Operation& operation,
                                           const EvalInputs& inputs, bool stacked) {
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&operation))
    return run_sequence<T>(*layer, inputs, stacked);
  if (const auto* const encoder = std::get_if<ref::model::EncoderOperation>(&operation))
    return run_encoder<T>(*encoder, inputs.encoder);
  if (const auto* const transformer = std::get_if<ref::model::TransformerOperation>(&operation))
    return run_transformer<T>(*transformer, inputs.transformer);
  if (const auto* const optimizer = std::get_if<ref::model::OptimizerOperation>(&operation))
    return run_optimizer<T>(*optimizer, inputs.optimizer, stacked);
  return run_function<T>(std::get<ref::model::FunctionOptions>(operation), inputs.function);
}

}  // namespace normproof::verification::checks::evaluation
