#include "verification/checks/agreement/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "gpu/train/optimizer.hpp"
#include "verification/checks/agreement/device_encoder.hpp"
#include "verification/checks/agreement/device_functions.hpp"
#include "verification/checks/agreement/device_outputs.hpp"

namespace normproof::verification::checks::agreement {
namespace {

namespace device = gpu::device;
namespace model = ref::model;
using device::Device;
using device::DeviceTensor;
using device::download;
using device::NamedDeviceTensors;
using device::upload;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

void compare_all(const NamedDeviceTensors& got, const NamedTensors<double>& expected, Rows& rows) {
  for (const auto& [name, values] : expected) rows.compare(name, download(got.get(name)), values);
}

std::optional<ref::numeric::ContractViolation> contract_error_message(
    const std::function<void()>& f) {
  try {
    f();
  } catch (const ref::numeric::ContractError& error) {
    return error.violation();
  }
  return std::nullopt;
}

std::string violation_message(const std::optional<ref::numeric::ContractViolation>& violation) {
  return violation ? ref::numeric::ContractError(*violation).what() : "";
}

/// Runs one operation with ref and on the device. Returns true if both accept the inputs; the
/// caller then compares the results. Otherwise compares the error messages and returns false.
bool run_both_sides(const std::function<void()>& by_ref, const std::function<void()>& on_device,
                    Rows& rows) {
  const auto expected = contract_error_message(by_ref), got = contract_error_message(on_device);
  if (!expected && !got) return true;
  if (got == expected)
    rows.refuse();
  else
    rows.report_difference(fmt::format("the device says '{}'; expected '{}'",
                                       violation_message(got), violation_message(expected)));
  return false;
}

struct OperationRunner {
  Device& to;
  const checks::evaluation::EvalInputs& inputs;
  Rows& rows;

  void operator()(const model::NormOptions& options) const {
    NamedTensors<double> state = inputs.state;
    NamedDeviceTensors device_state = upload(to, state);
    for (const auto& in : inputs.steps) {
      ref::norm::NormStep<double> step;
      gpu::norm::NormStep got;
      const bool done =
          run_both_sides([&] { step = ref::norm::norm_step(options, in, state); },
                         [&] { got = norm_step_on_device(to, options, in, device_state); }, rows);
      if (!done) return;
      compare_all(got.outputs, step.outputs, rows);
      compare_all(got.state, step.state, rows);
      state = step.state;
      device_state = got.state;
    }
  }

  void operator()(const model::FunctionOptions& function) const {
    NamedTensors<double> expected;
    NamedDeviceTensors got;
    const bool done = run_both_sides(
        [&] { expected = checks::evaluation::run_function<double>(function, inputs.function); },
        [&] { got = run_function_on_device(to, function, inputs.function); }, rows);
    if (done) compare_all(got, expected, rows);
  }

  void operator()(const model::EncoderOperation& operation) const {
    const checks::evaluation::EncoderTensors& in = inputs.encoder;
    NamedTensors<double> expected;
    NamedDeviceTensors got;
    const bool done = run_both_sides(
        [&] { expected = checks::evaluation::run_encoder<double>(operation, in); },
        [&] { got = run_encoder_on_device(to, operation, in, gpu::ops::ordered_products()); },
        rows);
    if (done) compare_all(got, expected, rows);
  }

  /// Reports a difference. This overload is never called in a correct program, because
  /// operations_on_device omits whole Transformers.
  void operator()(const model::TransformerOperation&) const {
    rows.report_difference("a device has no whole Transformers");
  }

  void operator()(const model::OptimizerOperation& operation) const {
    const checks::evaluation::OptimizerTensors& in = inputs.optimizer;
    NamedTensors<double> expected;
    NamedDeviceTensors got;
    const bool done = run_both_sides(
        [&] { expected = checks::evaluation::run_optimizer<double>(operation, in, true); },
        [&] { got = run_steps(operation, in); }, rows);
    if (!done) return;
    // ref returns all steps in one tensor, the device only the last step; this is the last step of
    // ref.
    const std::size_t steps = in.gradients.size();
    for (const auto& [name, values] : expected) {
      const std::size_t size = values.size() / steps;
      ref::tensor::Shape shape = ref::tensor::shape_of(values);
      shape.erase(shape.begin());
      Tensor<double> last = ref::tensor::empty_tensor<double>(shape);
      std::copy_n(values.data() + (steps - 1) * size, size, last.data());
      rows.compare(name, download(got.get(name)), last);
    }
  }

 private:
  NamedDeviceTensors run_steps(const model::OptimizerOperation& operation,
                               const checks::evaluation::OptimizerTensors& in) const {
    NamedDeviceTensors parameters, got;
    parameters.set("parameter", upload(to, in.parameter));
    gpu::train::OptimizerState state;
    for (const auto& [name, values] : in.state)
      if (name != "iterations")
        state.moments.set(fmt::format("{}/parameter", name), upload(to, values));
    state.step = static_cast<std::int64_t>(in.state.at("iterations").data()[0]);
    const auto power = [&](const char* name, double beta) {
      double product = 1;
      for (std::int64_t i = 0; i < state.step; ++i) product *= beta;
      state.moments.set(name, device::full_tensor(to, {1}, product));
    };
    std::visit(
        [&](const auto& options) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, model::SgdOptions>) {
            power("beta1_power", options.beta1);
            power("beta2_power", options.beta2);
          }
        },
        operation.optimizer);
    for (const Tensor<double>& gradient : in.gradients) {
      gpu::train::Gradients gradients;
      gradients.dense.set("parameter", upload(to, gradient));
      gpu::train::optimizer_step(operation.optimizer, operation.learning_rate, parameters,
                                 gradients, state);
    }
    got.set("parameter", parameters.at("parameter"));
    for (const std::string& moment : checks::evaluation::moment_names(operation.optimizer))
      got.set(moment, state.moments.at(fmt::format("{}/parameter", moment)));
    got.set("iterations", device::full_tensor(to, {1}, static_cast<double>(state.step)));
    return got;
  }
};

}  // namespace

std::vector<std::string> operations_on_device() {
  std::vector<std::string> names;
  for (const std::string& name : model::operation_names()) {
    const model::Operation operation = model::operation(name);
    const auto* const function = std::get_if<model::FunctionOptions>(&operation);
    if (function != nullptr && !runs_on_device(*function)) continue;
    if (!std::holds_alternative<model::TransformerOperation>(operation)) names.push_back(name);
  }
  return names;
}

void compare_operation(Device& device, const model::Operation& operation,
                       const checks::evaluation::EvalInputs& inputs, std::string_view case_name,
                       Rows& rows) {
  rows.begin(model::operation_name(operation), case_name);
  std::visit(OperationRunner{device, inputs, rows}, operation);
}

}  // namespace normproof::verification::checks::agreement
