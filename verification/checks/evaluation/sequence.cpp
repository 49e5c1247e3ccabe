#include "verification/checks/evaluation/sequence.hpp"

#include <utility>

#include "verification/checks/evaluation/layouts.hpp"
#include "verification/checks/evaluation/stacked.hpp"

namespace normproof::verification::checks::evaluation {

using ref::numeric::Clause;

using ref::norm::NormInputs;
using ref::norm::NormStep;
using ref::numeric::ContractError;
using ref::tensor::NamedTensors;
using ref::tensor::shape_of;
using ref::tensor::Tensor;

namespace {

template <class T>
NormInputs<T> convert_inputs(ref::model::Layout layout, const NormInputs<double>& given) {
  const NormInputs<double> inputs = convert_inputs_to_rows(layout, given);
  const auto optional = [](const Tensor<double>& tensor) {
    return tensor.dimension() == 0 ? Tensor<T>() : ref::tensor::convert<T>(tensor);
  };
  NormInputs<T> result{.x = ref::tensor::convert<T>(inputs.x),
                       .gamma = optional(inputs.gamma),
                       .beta = optional(inputs.beta),
                       .grad_y = optional(inputs.grad_y),
                       .valid = inputs.valid,
                       .mode = inputs.mode};
  for (const auto& [name, values] : inputs.others) result.others.set(name, optional(values));
  return result;
}

template <class T>
void put(NamedTensors<T>& stack, const NamedTensors<T>& tensors, std::size_t step,
         std::size_t steps) {
  for (const auto& [name, values] : tensors) store_step(stack, name, values, step, steps);
}

}  // namespace

template <ref::numeric::Real T>
NamedTensors<T> run_sequence(const ref::model::NormOptions& options, const EvalInputs& inputs,
                             bool stacked) {
  const std::size_t steps = inputs.steps.size();
  if (steps == 0 || (steps > 1 && !stacked)) {
    ref::numeric::contract_failure("run_sequence", "inputs",
                                   "has " + std::to_string(steps) + " steps",
                                   stacked ? "1 or more" : "1", Clause::C1);
  }
  const ref::model::Layout layout = ref::model::norm_layout(options);
  const ref::model::NormOptions of_rows = ref::model::use_row_layout(options);
  NamedTensors<T> state, results;
  for (const auto& [name, values] : inputs.state) state.set(name, ref::tensor::convert<T>(values));
  for (std::size_t s = 0; s < steps; ++s) {
    NormStep<T> step;
    try {
      step = ref::norm::norm_step<T>(of_rows, convert_inputs<T>(layout, inputs.steps[s]), state);
    } catch (const ContractError& error) {
      throw StepError(s, error);
    }
    convert_outputs_to_layout(layout, shape_of(inputs.steps[s].x), step.outputs);
    state = step.state;
    if (stacked) {
      put(results, step.outputs, s, steps);
      put(results, step.state, s, steps);
    } else {
      results = std::move(step.outputs);
      for (auto& [name, values] : step.state) results.set(name, std::move(values));
    }
  }
  return results;
}

#define NORMPROOF_INSTANTIATE(T) \
  template NamedTensors<T> run_sequence(const ref::model::NormOptions&, const EvalInputs&, bool);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::evaluation
