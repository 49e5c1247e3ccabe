#include "ref/norm/norm.hpp"

#include "ref/norm/batch_norm.hpp"
#include "ref/norm/batch_renorm.hpp"
#include "ref/norm/dyt.hpp"
#include "ref/norm/group_norm.hpp"
#include "ref/norm/group_scaling.hpp"
#include "ref/norm/instance_norm.hpp"
#include "ref/norm/layer_norm.hpp"
#include "ref/norm/layer_support.hpp"
#include "ref/norm/power_norm.hpp"
#include "ref/norm/power_norm_released.hpp"
#include "ref/norm/power_norm_v.hpp"
#include "ref/norm/rms_norm.hpp"
#include "ref/norm/scale_norm.hpp"

namespace normproof::ref::norm {
namespace {

using tensor::NamedTensors;

template <class T>
bool is_training(const NormInputs<T>& inputs) {
  return inputs.mode == model::Mode::training;
}

/// Checks clause C3: every given parameter is one that the layer has.
template <class T>
void check_parameters(const model::NormLayer& layer, const NormInputs<T>& inputs) {
  if (tensor::is_given(inputs.gamma)) model::check_parameter(layer, "gamma");
  if (tensor::is_given(inputs.beta)) model::check_parameter(layer, "beta");
  for (const auto& entry : inputs.others) model::check_parameter(layer, entry.name);
}

/// Returns the scale that multiplies x_hat, and the shift that is added to the product. The scale
/// is 1 + gamma if gamma is zero-centered.
template <class T>
Affine<T> effective_affine(const model::NormOptions& options, const NormInputs<T>& inputs) {
  return {effective_gamma(inputs.gamma, model::has_zero_centered_gamma(options)), inputs.beta};
}

/// Returns a parameter that is neither gamma nor beta. If it is absent, the result is an empty
/// tensor.
template <class T>
Tensor<T> find_other_parameter(const NormInputs<T>& inputs, std::string_view name) {
  const Tensor<T>* const given = find_parameter(inputs, name);
  return given == nullptr ? Tensor<T>() : *given;
}

/// Runs the forward of any layer. Returns y, the statistics and the state.
template <class T>
class ForwardRunner {
 public:
  ForwardRunner(const NormInputs<T>& inputs, const NamedTensors<T>& state, Affine<T> affine)
      : in_(inputs), state_(state), affine_(std::move(affine)) {
    step_.state = state;
  }

  NormStep<T> release_result() { return std::move(step_); }

  void operator()(const model::NoneOptions&) {
    constexpr auto kName = "none";
    tensor::check_activations(kName, "x", shape_of(in_.x));
    tensor::check_finite(kName, "x", in_.x, Clause::C4);
    set_outputs("y", in_.x);
  }

  void operator()(const model::LayerNormOptions& options) {
    auto forward = layer_norm(in_.x, affine_, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("mean", std::move(forward.saved.mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
  }

  void operator()(const model::RMSNormOptions& options) {
    auto forward = rms_norm(in_.x, affine_, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("rstd", std::move(forward.saved.rstd));
  }

  void operator()(const model::GroupScalingOptions& options) {
    auto forward = group_scaling(in_.x, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("rstd", std::move(forward.rstd));
  }

  void operator()(const model::ScaleNormOptions& options) {
    auto forward = scale_norm(in_.x, in_.gamma, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("rnorm", std::move(forward.rnorm));
  }

  void operator()(const model::DyTOptions& options) {
    set_outputs("y", dyt(in_.x, affine_, find_other_parameter(in_, "alpha"), options));
  }

  void operator()(const model::GroupNormOptions& options) {
    auto forward = group_norm(in_.x, affine_, in_.valid, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("mean", std::move(forward.saved.mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
  }

  void operator()(const model::InstanceNormOptions& options) {
    auto forward = instance_norm(in_.x, affine_, in_.valid, options);
    set_outputs("y", std::move(forward.y));
    set_outputs("mean", std::move(forward.saved.mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
  }

  void operator()(const model::BatchNormOptions& options) {
    const BatchNormState<T> state{state_.at("running_mean"), state_.at("running_variance")};
    auto forward = batch_norm(in_.x, affine_, in_.valid, state, options, in_.mode);
    set_batch_outputs(forward);
  }

  void operator()(const model::BatchRenormOptions& options) {
    const BatchNormState<T> state{state_.at("running_mean"), state_.at("running_variance")};
    auto forward = batch_renorm(in_.x, affine_, in_.valid, state, options, in_.mode);
    set_batch_outputs(forward);
    if (!is_training(in_)) return;
    set_outputs("r", std::move(forward.saved.r));
    set_outputs("d", std::move(forward.saved.d));
  }

  void operator()(const model::PowerNormVOptions& options) {
    const PowerNormVState<T> state{state_.at("running_psi2")};
    auto forward = power_norm_v(in_.x, affine_, in_.valid, state, options, in_.mode);
    set_outputs("y", std::move(forward.y));
    if (is_training(in_)) set_outputs("quadratic_mean", std::move(forward.saved.quadratic_mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
    step_.state.set("running_psi2", std::move(forward.state.running_psi2));
  }

  void operator()(const model::PowerNormOptions& options) {
    auto forward = power_norm(in_.x, affine_, in_.valid, power_norm_state(), options, in_.mode);
    set_outputs("y", std::move(forward.y));
    if (is_training(in_)) set_outputs("quadratic_mean", std::move(forward.saved.quadratic_mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
    set_state_tensors(forward.state);
  }

  void operator()(const model::PowerNormReleasedOptions& options) {
    auto forward =
        power_norm_released(in_.x, affine_, in_.valid, power_norm_state(), options, in_.mode);
    set_outputs("y", std::move(forward.y));
    if (is_training(in_)) set_outputs("quadratic_mean", std::move(forward.saved.quadratic_mean));
    set_outputs("rstd", std::move(forward.saved.rstd));
    if (is_training(in_)) set_outputs("batch_rstd", std::move(forward.saved.batch_rstd));
    if (options.group_scaling) set_outputs("group_rstd", std::move(forward.saved.group_rstd));
    set_state_tensors(forward.state);
  }

 private:
  PowerNormState<T> power_norm_state() const {
    const Tensor<T>& iterations = state_.at("iterations");
    tensor::check_shape("norm_step", "iterations", shape_of(iterations), {1}, Clause::C10);
    const double count = numeric::to_double(iterations.data()[0]);
    const bool whole = count >= 0 && count <= 0x1p53 &&
                       static_cast<double>(static_cast<std::int64_t>(count)) == count;
    tensor::check_option("norm_step", "iterations", count, whole, "a whole number, 0 or more",
                         Clause::C10);
    return {state_.at("running_psi2"), state_.at("nu"), static_cast<std::int64_t>(count)};
  }

  void set_outputs(std::string_view name, Tensor<T> values) {
    step_.outputs.set(name, std::move(values));
  }

  template <class Forward>
  void set_batch_outputs(Forward& forward) {
    set_outputs("y", std::move(forward.y));
    if (is_training(in_)) {
      set_outputs("mean", std::move(forward.saved.mean));
      set_outputs("biased_variance", std::move(forward.saved.biased_variance));
    }
    set_outputs("rstd", std::move(forward.saved.rstd));
    step_.state.set("running_mean", std::move(forward.state.running_mean));
    step_.state.set("running_variance", std::move(forward.state.running_variance));
  }

  void set_state_tensors(const PowerNormState<T>& state) {
    step_.state.set("running_psi2", state.running_psi2);
    step_.state.set("nu", state.nu);
    step_.state.set("iterations",
                    tensor::full_tensor<T>({1}, T(static_cast<double>(state.iterations))));
  }

  const NormInputs<T>& in_;
  const NamedTensors<T>& state_;
  Affine<T> affine_;
  NormStep<T> step_;
};

/// Runs the backward of any layer. It reads, by name, the statistics that the forward saved.
template <class T>
class BackwardRunner {
 public:
  BackwardRunner(const NormInputs<T>& inputs, const NormStep<T>& forward, Affine<T> affine)
      : in_(inputs), forward_(forward), affine_(std::move(affine)) {
    step_.state = forward.state;
  }

  NormStep<T> release_result() { return std::move(step_); }

  void operator()(const model::NoneOptions&) {
    tensor::check_shape("none", "grad_y", shape_of(in_.grad_y), shape_of(in_.x), Clause::C5);
    tensor::check_finite("none", "grad_y", in_.grad_y, Clause::C7);
    set_outputs("grad_x", in_.grad_y);
  }
  void operator()(const model::LayerNormOptions&) {
    set_outputs(layer_norm_backward(in_.grad_y, in_.x, affine_, {saved("mean"), saved("rstd")}));
  }
  void operator()(const model::RMSNormOptions&) {
    set_outputs(rms_norm_backward(in_.grad_y, in_.x, affine_, {saved("rstd")}));
  }
  void operator()(const model::GroupScalingOptions& options) {
    set_outputs("grad_x", group_scaling_backward(in_.grad_y, in_.x, saved("rstd"), options));
  }
  void operator()(const model::ScaleNormOptions&) {
    auto backward = scale_norm_backward(in_.grad_y, in_.x, in_.gamma, saved("rnorm"));
    set_outputs("grad_x", std::move(backward.grad_x));
    set_outputs("grad_gamma", std::move(backward.grad_gamma));
  }
  void operator()(const model::DyTOptions& options) {
    auto backward =
        dyt_backward(in_.grad_y, in_.x, affine_, find_other_parameter(in_, "alpha"), options);
    set_outputs("grad_x", std::move(backward.grad_x));
    set_outputs("grad_gamma", std::move(backward.grad_gamma));
    set_outputs("grad_beta", std::move(backward.grad_beta));
    set_outputs("grad_alpha", std::move(backward.grad_alpha));
  }
  void operator()(const model::GroupNormOptions& options) {
    set_outputs(group_norm_backward(in_.grad_y, in_.x, affine_, in_.valid,
                                    {saved("mean"), saved("rstd")}, options));
  }
  void operator()(const model::InstanceNormOptions&) {
    set_outputs(instance_norm_backward(in_.grad_y, in_.x, affine_, in_.valid,
                                       {saved("mean"), saved("rstd")}));
  }
  void operator()(const model::BatchNormOptions&) {
    set_outputs(batch_norm_backward(in_.grad_y, in_.x, affine_, in_.valid,
                                    {mean(), saved("biased_variance"), saved("rstd")}, in_.mode));
  }
  void operator()(const model::BatchRenormOptions&) {
    set_outputs(batch_renorm_backward(
        in_.grad_y, in_.x, affine_, in_.valid,
        {mean(), saved("biased_variance"), saved("rstd"), saved("r"), saved("d")}, in_.mode));
  }
  void operator()(const model::PowerNormVOptions&) {
    set_outputs(power_norm_v_backward(in_.grad_y, in_.x, affine_, in_.valid,
                                      {saved("quadratic_mean"), saved("rstd")}, in_.mode));
  }
  void operator()(const model::PowerNormOptions& options) {
    set_outputs(power_norm_backward(in_.grad_y, in_.x, affine_, in_.valid,
                                    {saved("quadratic_mean"), saved("rstd")},
                                    forward_.state.at("nu"), options, in_.mode));
  }
  void operator()(const model::PowerNormReleasedOptions& options) {
    set_outputs(power_norm_released_backward(
        in_.grad_y, in_.x, affine_, in_.valid,
        {saved("quadratic_mean"), saved("rstd"), saved("batch_rstd"), saved("group_rstd")},
        forward_.state.at("nu"), options, in_.mode));
  }

 private:
  /// Returns a statistic that the forward saved, or an empty tensor if it saved none of this name.
  Tensor<T> saved(std::string_view name) const {
    const Tensor<T>* const values = forward_.outputs.find(name);
    return values == nullptr ? Tensor<T>() : *values;
  }
  /// Returns the mean that was subtracted from x. In inference it is the running mean.
  Tensor<T> mean() const {
    return is_training(in_) ? saved("mean") : forward_.state.at("running_mean");
  }

  void set_outputs(std::string_view name, Tensor<T> values) {
    step_.outputs.set(name, std::move(values));
  }

  void set_outputs(AffineGradients<T> gradients) {
    set_outputs("grad_x", std::move(gradients.grad_x));
    set_outputs("grad_gamma", std::move(gradients.grad_gamma));
    set_outputs("grad_beta", std::move(gradients.grad_beta));
  }

  void set_outputs(PowerNormBackward<T> backward) {
    if (is_training(in_)) {
      set_outputs("mean_x_hat_squared", std::move(backward.mean_x_hat_squared));
      set_outputs("mean_g_x_hat", std::move(backward.mean_g_x_hat));
    }
    set_outputs(std::move(backward.gradients));
    step_.state.set("nu", std::move(backward.nu));
  }

  const NormInputs<T>& in_;
  const NormStep<T>& forward_;
  Affine<T> affine_;
  NormStep<T> step_;
};

}  // namespace

template <numeric::Real T>
NamedTensors<T> initial_state(const model::NormOptions& options, std::size_t d_model) {
  NamedTensors<T> state;
  for (const model::NormState& entry : model::norm_layer(options).state)
    state.set(entry.name, tensor::full_tensor<T>({model::entry_extent(entry.shape, d_model)},
                                                 T(entry.initial)));
  return state;
}

template <numeric::Real T>
NormStep<T> norm_forward(const model::NormOptions& options, const NormInputs<T>& inputs,
                         const NamedTensors<T>& state) {
  check_parameters(model::norm_layer(options), inputs);
  model::check_row_layout(options);
  ForwardRunner<T> runner(inputs, state, effective_affine(options, inputs));
  std::visit(runner, model::use_plain_gamma(options));
  return runner.release_result();
}

template <numeric::Real T>
NormStep<T> norm_backward(const model::NormOptions& options, const NormInputs<T>& inputs,
                          const NormStep<T>& forward) {
  model::check_row_layout(options);
  BackwardRunner<T> runner(inputs, forward, effective_affine(options, inputs));
  std::visit(runner, options);
  return runner.release_result();
}

template <numeric::Real T>
NormStep<T> norm_step(const model::NormOptions& options, const NormInputs<T>& inputs,
                      const NamedTensors<T>& state) {
  NormStep<T> step = norm_forward(options, inputs, state);
  if (!tensor::is_given(inputs.grad_y)) return step;
  NormStep<T> backward = norm_backward(options, inputs, step);
  for (auto& [name, values] : backward.outputs) step.outputs.set(name, std::move(values));
  step.state = std::move(backward.state);
  return step;
}

#define NORMPROOF_INSTANTIATE(T)                                                      \
  template NamedTensors<T> initial_state(const model::NormOptions&, std::size_t);     \
  template NormStep<T> norm_forward(const model::NormOptions&, const NormInputs<T>&,  \
                                    const NamedTensors<T>&);                          \
  template NormStep<T> norm_backward(const model::NormOptions&, const NormInputs<T>&, \
                                     const NormStep<T>&);                             \
  template NormStep<T> norm_step(const model::NormOptions&, const NormInputs<T>&,     \
                                 const NamedTensors<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::norm
