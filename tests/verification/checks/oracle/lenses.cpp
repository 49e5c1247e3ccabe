#include "tests/verification/checks/oracle/lenses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using checks::compare::Comparison;
using ref::numeric::oracle50;
using ref::tensor::convert;

template <class T>
Tensor<T> convert_if_given(const Tensor<double>& t) {
  return is_absent(t) ? Tensor<T>() : convert<T>(t);
}

/// Compares the names of the tensors. Then calls `check(name, got, expected)` for each tensor of
/// outputs and state.
template <class T, class U, class Check>
::testing::AssertionResult check_all_tensors(const NamedTensors<T>& got_outputs,
                                             const NamedTensors<T>& got_state,
                                             const NamedTensors<U>& outputs,
                                             const NamedTensors<U>& state, Check check) {
  const auto one_side = [&](const char* side, const NamedTensors<T>& got,
                            const NamedTensors<U>& expected) -> ::testing::AssertionResult {
    if (got.names() != expected.names()) {
      return ::testing::AssertionFailure()
             << side << " has the names " << ::testing::PrintToString(got.names()) << ", expected "
             << ::testing::PrintToString(expected.names());
    }
    for (const auto& entry : got) {
      const Comparison c = check(side, entry.name, entry.values, expected.at(entry.name));
      if (!c.passed) return ::testing::AssertionFailure() << entry.name << " " << c.describe();
    }
    return ::testing::AssertionSuccess();
  };
  const auto result = one_side("outputs", got_outputs, outputs);
  return result ? one_side("state", got_state, state) : result;
}

template <class Step>
const auto& to_norm_step(const Step& step, const std::string& side) {
  return side == "outputs" ? step.outputs : step.state;
}

}  // namespace

std::string Case::name() const {
  std::string text = model::norm_name(options);
  for (const auto& [field, value] : model::list_options(options)) text += " " + field + "=" + value;
  text += " x " + ref::tensor::to_string(shape_of(inputs.x));
  text += inputs.mode == Mode::training ? " training" : " inference";
  if (!is_absent(inputs.valid)) {
    text += " valid ";
    for (std::size_t i = 0; i < inputs.valid.size(); ++i)
      text += inputs.valid.data()[i] ? '1' : '0';
  }
  return text;
}

std::vector<NormOptions> options_of_every_layer(std::size_t d_model) {
  const auto groups = static_cast<std::int64_t>(d_model);
  std::vector<NormOptions> layers = {
      model::NoneOptions{},
      model::LayerNormOptions{},
      model::RMSNormOptions{.eps = 0.25},
      model::ScaleNormOptions{.eps = 1e-3},
      model::DyTOptions{},
      model::GroupScalingOptions{.eps = 1e-3, .groups = 1},
      model::GroupScalingOptions{.groups = groups},
      model::BatchNormOptions{.unbiased_running_variance = false},
      model::BatchNormOptions{.eps = 0.5, .running_decay = 0.3},
      model::PowerNormVOptions{.eps = 1e-2, .running_decay = 0.7},
      model::BatchRenormOptions{.eps = 1e-3},
      model::BatchRenormOptions{.r_max = 1.01, .d_max = 0.01},
      model::InstanceNormOptions{.eps = 1e-3},
      model::GroupNormOptions{.eps = 1e-3, .groups = 1},
      model::GroupNormOptions{.groups = groups},
      model::PowerNormOptions{.eps = 1e-2, .alpha_forward = 0.8, .alpha_backward = 0.6},
      model::PowerNormOptions{.warmup_iterations = 2},
      model::PowerNormReleasedOptions{.groups = groups},
      model::PowerNormReleasedOptions{.warmup_iterations = 2},
      model::PowerNormReleasedOptions{
          .alpha_forward = 0.8, .alpha_backward = 0.6, .warmup_iterations = 0},
      model::PowerNormReleasedOptions{.warmup_iterations = 0, .group_scaling = false},
      model::PowerNormReleasedOptions{.warmup_iterations = 0, .divide_by_batch_psi = false},
      model::PowerNormReleasedOptions{.cumulative_warmup_average = false},
      model::PowerNormReleasedOptions{.warmup_iterations = 1, .pads_in_backward = false},
      model::PowerNormReleasedOptions{.warmup_iterations = 0, .scaled_nu = false},
      model::PowerNormReleasedOptions{.warmup_iterations = 1,
                                      .group_scaling = false,
                                      .divide_by_batch_psi = false,
                                      .cumulative_warmup_average = false,
                                      .pads_in_backward = false,
                                      .scaled_nu = false},
  };
  return layers;
}

bool uses_mask(const NormOptions& options) {
  return model::norm_layer(options).uses_statistics_over_rows();
}

bool has_state(const NormOptions& options) {
  return !initial_state(options, 1).empty();
}

Tensor<double> normal(const std::string& stream, const Shape& shape, double offset, double scale) {
  const RandomStream random(2, stream);
  Tensor<double> result = empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = offset + scale * random.normal(i);
  return result;
}

Case make_case(const NormOptions& options, const Tensor<double>& x, Mode mode,
               const std::string& stream) {
  const std::size_t features = x.shape().back();
  Case c{options, {.x = x}, {}};
  c.inputs.mode = mode;
  c.inputs.grad_y = normal(stream + "/grad_y", shape_of(x));
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    ref::norm::set_parameter(c.inputs, own.name,
                             own.initial == 0
                                 ? normal(stream + "/" + std::string(own.name),
                                          {model::entry_extent(own.shape, features)})
                                 : normal(stream + "/" + std::string(own.name),
                                          {model::entry_extent(own.shape, features)}, 1.25, 0.5));
  c.state = ref::norm::initial_state<double>(options, features);
  for (auto& entry : c.state) {
    entry.values = normal(stream + "/" + entry.name, shape_of(entry.values));
    for (std::size_t i = 0; i < entry.values.size(); ++i) {
      double& v = entry.values.data()[i];
      if (entry.name == "running_variance" || entry.name == "running_psi2") v = v * v + 0.1;
      if (entry.name == "iterations") v = 1;
    }
  }
  return c;
}

Mask mask_of_bits(const Shape& x_shape, std::uint64_t bits) {
  Mask mask = empty_tensor<bool>(Shape(x_shape.begin(), x_shape.end() - 1));
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = (bits >> i & 1) != 0;
  return mask;
}

template <class T>
NormInputs<T> convert_norm_inputs(const NormInputs<double>& inputs) {
  NormInputs<T> result{.x = convert<T>(inputs.x),
                       .gamma = convert_if_given<T>(inputs.gamma),
                       .beta = convert_if_given<T>(inputs.beta),
                       .grad_y = convert_if_given<T>(inputs.grad_y),
                       .valid = inputs.valid,
                       .mode = inputs.mode};
  for (const auto& [name, values] : inputs.others)
    result.others.set(name, convert_if_given<T>(values));
  return result;
}

template <class T>
NamedTensors<T> convert_norm_state(const NamedTensors<double>& state) {
  NamedTensors<T> result;
  for (const auto& entry : state) result.set(entry.name, convert<T>(entry.values));
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                            \
  template NormInputs<T> convert_norm_inputs<T>(const NormInputs<double>&); \
  template NamedTensors<T> convert_norm_state<T>(const NamedTensors<double>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

OracleInputs to_oracle_inputs(const NormInputs<double>& inputs) {
  const auto converted = convert_norm_inputs<oracle100>(inputs);
  return {.x = converted.x,
          .gamma = converted.gamma,
          .beta = converted.beta,
          .grad_y = converted.grad_y,
          .valid = converted.valid,
          .mode = converted.mode,
          .others = converted.others};
}

OracleStep run_oracle(const Case& c, Method method) {
  return step(c.options, to_oracle_inputs(c.inputs), convert_norm_state<oracle100>(c.state),
              method);
}

template <class T>
::testing::AssertionResult agrees_with_oracle(const NormStep<T>& got, const OracleStep& expected,
                                              const NormStep<running_error>& bound) {
  return check_all_tensors(got.outputs, got.state, expected.outputs, expected.state,
                           [&](const std::string& side, const std::string& name,
                               const Tensor<T>& value, const Tensor<oracle100>& target) {
                             return checks::compare::compare(
                                 convert<oracle100>(value), target,
                                 scaled_bound<T>(to_norm_step(bound, side).at(name)));
                           });
}
template ::testing::AssertionResult agrees_with_oracle(const NormStep<oracle50>&, const OracleStep&,
                                                       const NormStep<running_error>&);
template ::testing::AssertionResult agrees_with_oracle(const NormStep<oracle100>&,
                                                       const OracleStep&,
                                                       const NormStep<running_error>&);

::testing::AssertionResult agrees_with_oracle(const OracleStep& got, const OracleStep& expected,
                                              const NormStep<running_error>& bound) {
  return agrees_with_oracle(NormStep<oracle100>{got.outputs, got.state}, expected, bound);
}

::testing::AssertionResult is_within_running_error(const NormStep<running_error>& got,
                                                   const OracleStep& expected,
                                                   Tightness* tightness) {
  return check_all_tensors(got.outputs, got.state, expected.outputs, expected.state,
                           [&](const std::string&, const std::string&, Tensor<running_error> value,
                               const Tensor<oracle100>& target) {
                             std::size_t unclaimed = 0;
                             Tensor<oracle100> claimed = target;
                             for (std::size_t i = 0; i < value.size() && i < target.size(); ++i) {
                               if (!std::isinf(value.data()[i].error)) continue;
                               ++unclaimed;
                               value.data()[i] = running_error(0.0);
                               claimed.data()[i] = 0;
                             }
                             const Comparison c = checks::compare::compare(value, claimed);
                             if (tightness != nullptr) {
                               tightness->worst = std::max(tightness->worst, c.worst_ratio);
                               tightness->unclaimed += unclaimed;
                               tightness->claimed += c.count - unclaimed;
                             }
                             return c;
                           });
}

::testing::AssertionResult has_same_values(const NormStep<double>& got,
                                           const NormStep<running_error>& expected) {
  return check_all_tensors(got.outputs, got.state, expected.outputs, expected.state,
                           [](const std::string&, const std::string&, const Tensor<double>& value,
                              const Tensor<running_error>& target) {
                             Tensor<double> plain = empty_tensor<double>(shape_of(target));
                             for (std::size_t i = 0; i < plain.size(); ++i)
                               plain.data()[i] = target.data()[i].value;
                             return checks::compare::compare_bits(value, plain);
                           });
}

::testing::AssertionResult equals_exactly(const NormStep<double>& got, const OracleStep& expected) {
  return check_all_tensors(got.outputs, got.state, expected.outputs, expected.state,
                           [](const std::string&, const std::string&, const Tensor<double>& value,
                              const Tensor<oracle100>& target) {
                             return checks::compare::compare(
                                 value, target,
                                 ref::tensor::full_tensor<double>(shape_of(value), 0.0));
                           });
}

}  // namespace normproof::verification::checks::oracle
