#include "verification/checks/oracle/oracle.hpp"

#include "ref/model/norm_layers.hpp"
#include "verification/checks/oracle/cells.hpp"
#include "verification/checks/oracle/power_norm_history.hpp"

namespace normproof::verification::checks::oracle {
namespace model = ref::model;
using ref::numeric::Clause;

namespace {

void check_state(const model::NormOptions& options, std::size_t d_model,
                 const NamedTensors<oracle100>& state) {
  for (const model::NormState& entry : model::norm_layer(options).state) {
    const Tensor<oracle100>* const given = state.find(entry.name);
    if (given == nullptr)
      ref::numeric::contract_failure("oracle", "state", "lacks " + std::string(entry.name),
                                     "that of initial_state", Clause::C10);
    ref::tensor::check_shape("oracle", entry.name, ref::tensor::shape_of(*given),
                             {model::entry_extent(entry.shape, d_model)}, Clause::C10);
  }
}

}  // namespace

OracleStep step(const model::NormOptions& options, const OracleInputs& inputs,
                const NamedTensors<oracle100>& state, Method method) {
  const Arguments<oracle100> at = complete_arguments(options, inputs);
  check_state(options, at.x.shape().back(), state);
  const auto evaluation = evaluate<oracle100>(options, at, inputs.valid, inputs.mode, state);
  OracleStep result;
  result.state = evaluation.state;
  result.outputs.set("y", evaluation.y);
  for (const auto& entry : evaluation.statistics) result.outputs.set(entry.name, entry.values);
  if (is_absent(inputs.grad_y)) return result;

  Gradients gradients = oracle_gradients(options, inputs, state, method);
  if (inputs.mode == model::Mode::training) {
    const auto use = [&](const PowerNormBackward& backward) {
      result.outputs.set("mean_x_hat_squared", backward.mean_x_hat_squared);
      result.outputs.set("mean_g_x_hat", backward.mean_g_x_hat);
      result.state.set("nu", backward.nu);
      gradients.x = backward.grad_x;
    };
    if (const auto* paper = std::get_if<model::PowerNormOptions>(&options))
      use(power_norm_backward(*paper, inputs, at.gamma, evaluation, state));
    if (const auto* released = std::get_if<model::PowerNormReleasedOptions>(&options))
      use(power_norm_released_backward(*released, inputs, at.gamma, evaluation, state, method));
  }
  result.outputs.set("grad_x", gradients.x);
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    result.outputs.set("grad_" + std::string(own.name), gradients.by(own.name));
  return result;
}

NamedTensors<oracle100> initial_state(const model::NormOptions& options, std::size_t d_model) {
  NamedTensors<oracle100> state;
  for (const model::NormState& entry : model::norm_layer(options).state)
    state.set(entry.name,
              ref::tensor::full_tensor<oracle100>({model::entry_extent(entry.shape, d_model)},
                                                  oracle100(entry.initial)));
  return state;
}

}  // namespace normproof::verification::checks::oracle
