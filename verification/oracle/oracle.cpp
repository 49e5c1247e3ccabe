#include "verification/oracle/oracle.hpp"

#include "verification/oracle/cells.hpp"
#include "verification/oracle/power_norm_history.hpp"

namespace normproof::verification::oracle {
namespace {

namespace model = ref::model;

template <class Options>
bool is(const model::NormOptions& options) {
  return std::holds_alternative<Options>(options);
}

}  // namespace

OracleStep step(const model::NormOptions& options, const OracleInputs& inputs,
                const NamedTensors<oracle100>& state, Method method) {
  const Arguments<oracle100> at = written_out(options, inputs);
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
  if (ref::model::has_gamma(options)) result.outputs.set("grad_gamma", gradients.gamma);
  if (ref::model::has_beta(options)) result.outputs.set("grad_beta", gradients.beta);
  return result;
}

NamedTensors<oracle100> initial_state(const model::NormOptions& options, std::size_t d_model) {
  NamedTensors<oracle100> state;
  const auto add = [&](const char* name, std::size_t extent, int value) {
    state.set(name, ref::tensor::full_tensor<oracle100>({extent}, oracle100(value)));
  };
  if (is<model::BatchNormOptions>(options) || is<model::BatchRenormOptions>(options)) {
    add("running_mean", d_model, 0);
    add("running_variance", d_model, 1);
  }
  const bool power_norm =
      is<model::PowerNormOptions>(options) || is<model::PowerNormReleasedOptions>(options);
  if (power_norm || is<model::PowerNormVOptions>(options)) add("running_psi2", d_model, 1);
  if (power_norm) {
    add("nu", d_model, 0);
    add("iterations", 1, 0);
  }
  return state;
}

}  // namespace normproof::verification::oracle
