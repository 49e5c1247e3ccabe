#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "ref/numeric/elementary.hpp"
#include "tests/meta/broken_kernels/fault.hpp"

// Broken implementations for the claims whose ids begin with C or D. If a claim is refuted for the
// correct implementation, its statement is true for the broken one.
namespace normproof::tests::broken_kernels {

using namespace verification::claims::engine;

namespace {

using namespace ref::model;

/// Returns an implementation that calls `change(options)` before each step of the layer.
template <class Options, class Change>
TestedImplementation change_options(Change change) {
  return wrap_layer_step<Options>(
      [=](const auto& step, Options options, const auto& in, const auto& state) {
        change(options);
        return step(options, in, state);
      });
}

/// Returns an implementation that replaces each element of the tensor `name` of the next state by
/// `change(next, old)`.
template <class Options, class Change>
TestedImplementation change_next_state(const std::string& name, Change change) {
  return wrap_layer_step<Options>(
      [=](const auto& step, const Options& options, const auto& in, const auto& state) {
        auto result = step(options, in, state);
        auto& next = result.state.at(name);
        for (std::size_t i = 0; i < next.size(); ++i)
          next.data()[i] = change(next.data()[i], state.at(name).data()[i]);
        return result;
      });
}

/// Returns an implementation that runs each step with 0 in place of nu, a tensor of the state.
template <class Options>
TestedImplementation replace_nu_by_zero() {
  return wrap_layer_step<Options>([]<class T>(const TestedImplementation::Step<T>& step,
                                              const Options& options, const NormInputs<T>& in,
                                              NamedTensors<T> state) {
    apply_to_each(state.at("nu"), [](const T&) { return T(0); });
    return step(options, in, state);
  });
}

/// Returns an implementation that limits `theta = (1 - alpha) * Gamma` to 1. In a step, nu (ema_gz
/// in the released code) changes by `theta * (Lambda / Gamma - nu)`.
template <class Options>
TestedImplementation clamp_theta() {
  return wrap_layer_step<Options>([]<class T>(const TestedImplementation::Step<T>& step,
                                              const Options& options, const NormInputs<T>& in,
                                              const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    if (!is_given(in.grad_y)) return result;
    const auto& Gamma = result.outputs.at("mean_x_hat_squared");
    auto& nu = result.state.at("nu");
    for (std::size_t i = 0; i < nu.size(); ++i) {
      const T theta = (T(1) - T(options.alpha_backward)) * Gamma.data()[i];
      const T old = state.at("nu").data()[i];
      if (theta > T(1)) nu.data()[i] = old + (nu.data()[i] - old) / theta;
    }
    return result;
  });
}

/// Returns an implementation whose grad_x is zero if grad_y is zero everywhere.
template <class Options>
TestedImplementation zero_gradient_without_upstream() {
  return wrap_layer_step<Options>([]<class T>(const TestedImplementation::Step<T>& step,
                                              const Options& options, const NormInputs<T>& in,
                                              const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    const auto* grad_x = result.outputs.find("grad_x");
    if (grad_x == nullptr) return result;
    for (std::size_t i = 0; i < in.grad_y.size(); ++i)
      if (in.grad_y.data()[i] != T(0)) return result;
    apply_to_each(result.outputs.at("grad_x"), [](const T&) { return T(0); });
    return result;
  });
}

/// Returns an implementation of BatchNorm whose output biased_variance has the divisor n - 1
/// instead of n. Here n is the number of valid rows. If n is less than 2, the output is correct.
TestedImplementation divide_variance_by_valid_rows_minus_1() {
  return wrap_layer_step<BatchNormOptions>([]<class T>(const TestedImplementation::Step<T>& step,
                                                       const BatchNormOptions& options,
                                                       const NormInputs<T>& in,
                                                       const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    std::size_t n = in.x.size() / in.x.shape().back();
    if (is_given(in.valid))
      n = static_cast<std::size_t>(
          std::count(in.valid.data(), in.valid.data() + in.valid.size(), true));
    if (n < 2) return result;
    const T factor = T(static_cast<double>(n)) / T(static_cast<double>(n - 1));
    apply_to_each(result.outputs.at("biased_variance"), [&](const T& v) { return T(v * factor); });
    return result;
  });
}

TestedImplementation ignore_mask() {
  return wrap_layer_step<BatchNormOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const BatchNormOptions& options,
                  NormInputs<T> in, const NamedTensors<T>& state) {
        in.valid = decltype(in.valid)();
        return step(options, in, state);
      });
}

/// Returns an implementation of PowerNorm that omits the derivative of the running psi^2.
TestedImplementation omit_derivative_of_psi() {
  return wrap_layer_step<PowerNormOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const PowerNormOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        apply_to_each(result.state.at("running_psi2"),
                      [](const T& v) { return ref::numeric::stop_gradient(v); });
        return result;
      });
}

/// Returns an implementation that multiplies the weight of the new value in the update of nu by
/// `factor`, up to a weight of 1.
template <class Options>
TestedImplementation increase_weight_of_new_nu(double factor) {
  return change_options<Options>(
      [=](Options& o) { o.alpha_backward = 1 - std::min(1.0, factor * (1 - o.alpha_backward)); });
}

template <class Options>
TestedImplementation swap_weights_of_nu() {
  return change_options<Options>([](Options& o) { o.alpha_backward = 1 - o.alpha_backward; });
}

template <class Options>
TestedImplementation freeze_state(const std::string& name) {
  return change_next_state<Options>(name, [](const auto&, const auto& old) { return old; });
}

template <class Options>
TestedImplementation enlarge_nu_each_step() {
  return change_next_state<Options>(
      "nu", []<class T>(const T& next, const T&) { return T(next * T(kSlightlyAboveOne)); });
}

TestedImplementation change_released_options(void (*change)(PowerNormReleasedOptions&)) {
  return change_options<PowerNormReleasedOptions>(change);
}

std::vector<Fault> recursion_faults() {
  using Released = PowerNormReleasedOptions;
  return {
      {"C1", "ema_gz is kept in units of nu",
       change_released_options([](Released& o) { o.scaled_nu = false; })},
      {"C1", "weights of nu swapped", swap_weights_of_nu<PowerNormOptions>()},
      {"C2", "nu drifts", enlarge_nu_each_step<PowerNormOptions>()},
      {"C2", "ema_gz drifts", enlarge_nu_each_step<Released>()},
      {"C3", "divides by the old psi",
       change_released_options([](Released& o) { o.divide_by_batch_psi = false; })},
      {"C4", "ema_gz is kept in units of nu",
       change_released_options([](Released& o) { o.scaled_nu = false; })},
      {"C5", "nu never moves", freeze_state<PowerNormOptions>("nu")},
      {"C5", "psi never moves", freeze_state<PowerNormOptions>("running_psi2")},
      {"C6", "psi forgets too fast", change_options<PowerNormOptions>([](PowerNormOptions& o) {
         o.alpha_forward /= kSlightlyAboveOne;
       })},
      {"C7", "no cumulative mean",
       change_released_options([](Released& o) { o.cumulative_warmup_average = false; })},
      {"C7", "warm-up is one iteration longer",
       change_released_options([](Released& o) { ++o.warmup_iterations; })},
      {"C8", "no warm-up in power_norm",
       change_options<PowerNormOptions>([](PowerNormOptions& o) { o.warmup_iterations = 0; })},
      {"C8", "nu drifts in the released code", enlarge_nu_each_step<Released>()},
      {"C9", "no gradient where none arrives", zero_gradient_without_upstream<PowerNormOptions>()},
      {"C10", "nu has an offset",
       change_next_state<PowerNormOptions>(
           "nu", []<class T>(const T& next, const T&) { return T(next + T(0x1p-20)); })},
      {"C11", "no memory", replace_nu_by_zero<PowerNormOptions>()},
      {"C12", "valid rows alone",
       change_released_options([](Released& o) { o.pads_in_backward = false; })},
      {"C13", "valid rows alone",
       change_released_options([](Released& o) { o.pads_in_backward = false; })},
      {"C14", "variance over n minus 1", divide_variance_by_valid_rows_minus_1()},
      {"C14", "mask ignored", ignore_mask()},
      {"C15", "one group",
       change_options<GroupScalingOptions>([](GroupScalingOptions& o) { o.groups = 1; })},
      {"C15", "slightly too large", scale_output<GroupScalingOptions>("y", kSlightlyAboveOne)},
      {"C16", "psi is taken as a constant", omit_derivative_of_psi()},
      {"C16", "psi forgets too fast", change_options<PowerNormOptions>([](PowerNormOptions& o) {
         o.alpha_forward /= kSlightlyAboveOne;
       })},
  };
}

std::vector<Fault> boundedness_faults() {
  using Released = PowerNormReleasedOptions;
  const auto clamped =
      change_next_state<PowerNormOptions>("nu", []<class T>(const T& next, const T&) {
        return ref::numeric::clamp(next, T(-0.25), T(0.25));
      });
  return {
      {"D1", "weights of nu swapped", swap_weights_of_nu<PowerNormOptions>()},
      {"D1", "nu is slightly too large", enlarge_nu_each_step<PowerNormOptions>()},
      {"D2", "the new value weighs more", increase_weight_of_new_nu<PowerNormOptions>(1.5)},
      {"D3", "Lambda is slightly too large",
       scale_output<PowerNormOptions>("mean_g_x_hat", kSlightlyAboveOne)},
      {"D3", "Gamma is too small", scale_output<PowerNormOptions>("mean_x_hat_squared", 0.5)},
      {"D4", "the new value weighs three times as much",
       increase_weight_of_new_nu<PowerNormOptions>(3)},
      {"D4", "the gradient is twice as large", scale_output<PowerNormOptions>("grad_x", 2)},
      {"D5", "nu is clamped", clamped},
      {"D6", "theta is clamped", clamp_theta<PowerNormOptions>()},
      {"D7", "theta is clamped", clamp_theta<Released>()},
      {"D8", "weights of nu put in order",
       change_options<PowerNormOptions>([](PowerNormOptions& o) {
         o.alpha_backward = std::max(o.alpha_backward, 1 - o.alpha_backward);
       })},
      {"D9", "divides by the old psi",
       change_released_options([](Released& o) { o.divide_by_batch_psi = false; })},
      {"D10", "no memory", replace_nu_by_zero<PowerNormOptions>()},
      {"D11", "no memory", replace_nu_by_zero<PowerNormOptions>()},
      {"D12", "nu never moves", freeze_state<PowerNormOptions>("nu")},
      {"D13", "theta is clamped", clamp_theta<PowerNormOptions>()},
  };
}

}  // namespace

std::vector<Fault> power_norm_faults() {
  std::vector<Fault> faults = recursion_faults();
  const auto more = boundedness_faults();
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

}  // namespace normproof::tests::broken_kernels
