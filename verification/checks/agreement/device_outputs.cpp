#include "verification/checks/agreement/device_outputs.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/numeric/errors.hpp"
#include "verification/checks/agreement/device_encoder.hpp"
#include "verification/checks/agreement/device_functions.hpp"
#include "verification/checks/evaluation/layouts.hpp"
#include "verification/checks/evaluation/stacked.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::device::Device;
using gpu::device::DeviceMask;
using gpu::device::NamedDeviceTensors;
using gpu::device::upload;
using ref::tensor::NamedTensors;

NamedTensors<double> run_norm_on_device(Device& device, const ref::model::NormOptions& options,
                                        const checks::evaluation::EvalInputs& inputs,
                                        bool stacked) {
  const std::size_t steps = inputs.steps.size();
  if (steps == 0 || (steps > 1 && !stacked))
    ref::numeric::contract_failure("run_operation_on_device", "inputs",
                                   fmt::format("has {} steps", steps), stacked ? "1 or more" : "1",
                                   ref::numeric::Clause::C1);
  const ref::model::Layout layout = ref::model::norm_layout(options);
  const ref::model::NormOptions of_rows = ref::model::use_row_layout(options);
  NamedDeviceTensors state = upload(device, inputs.state);
  NamedTensors<double> answer;
  for (std::size_t s = 0; s < steps; ++s) {
    const gpu::norm::NormStep step = norm_step_on_device(
        device, of_rows, checks::evaluation::convert_inputs_to_rows(layout, inputs.steps[s]),
        state);
    state = step.state;
    NamedTensors<double> outputs = download(step.outputs);
    checks::evaluation::convert_outputs_to_layout(layout, ref::tensor::shape_of(inputs.steps[s].x),
                                                  outputs);
    for (const NamedTensors<double>& left : {std::move(outputs), download(step.state)})
      for (const auto& [name, values] : left) {
        if (stacked)
          checks::evaluation::store_step(answer, name, values, s, steps);
        else
          answer.set(name, values);
      }
  }
  return answer;
}

}  // namespace

gpu::norm::NormStep norm_step_on_device(Device& device, const ref::model::NormOptions& options,
                                        const ref::norm::NormInputs<double>& in,
                                        const NamedDeviceTensors& state) {
  const gpu::norm::NormInputs there{.x = upload(device, in.x),
                                    .gamma = upload(device, in.gamma),
                                    .beta = upload(device, in.beta),
                                    .grad_y = upload(device, in.grad_y),
                                    .valid = DeviceMask(device, in.valid),
                                    .mode = in.mode,
                                    .others = upload(device, in.others)};
  gpu::norm::NormStep step = gpu::norm::norm_forward(options, there, state);
  if (!ref::tensor::is_given(in.grad_y)) return step;
  const gpu::norm::NormStep backward = gpu::norm::norm_backward(options, there, step);
  for (const auto& [name, values] : backward.outputs) step.outputs.set(name, values);
  step.state = backward.state;
  return step;
}

std::optional<NamedTensors<double>> run_operation_on_device(
    Device& device, const ref::model::Operation& operation,
    const checks::evaluation::EvalInputs& inputs, bool stacked) {
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&operation))
    return run_norm_on_device(device, *layer, inputs, stacked);
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&operation);
  if (function != nullptr && has_device_kernels(*function))
    return download(run_function_on_device(device, *function, inputs.function));
  if (const auto* const encoder = std::get_if<ref::model::EncoderOperation>(&operation))
    return download(
        run_encoder_on_device(device, *encoder, inputs.encoder, gpu::ops::ordered_products()));
  return std::nullopt;
}

}  // namespace normproof::verification::checks::agreement
