#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "ref/numeric/elementary.hpp"
#include "tests/meta/broken_kernels/fault.hpp"

// Faults for the claims of C and D. The verdict of a refuted claim is changed by an implementation
// for which its statement is true.
namespace normproof::tests::broken_kernels {

namespace {

using namespace ref::model;

/// Changes the options of the layer.
template <class Options, class Change>
Subject with_options(Change change) {
  return around_layer<Options>(
      [=](const auto& step, Options options, const auto& in, const auto& state) {
        change(options);
        return step(options, in, state);
      });
}

/// Changes one tensor of the state after the step, element by element: f(new, old).
template <class Options, class Change>
Subject with_next_state(const std::string& name, Change change) {
  return around_layer<Options>(
      [=](const auto& step, const Options& options, const auto& in, const auto& state) {
        auto result = step(options, in, state);
        auto& next = result.state.at(name);
        for (std::size_t i = 0; i < next.size(); ++i)
          next.data()[i] = change(next.data()[i], state.at(name).data()[i]);
        return result;
      });
}

/// Makes the layer find 0 instead of nu in the state.
template <class Options>
Subject forgets_nu() {
  return around_layer<Options>([]<class T>(const Subject::Step<T>& step, const Options& options,
                                           const NormInputs<T>& in, NamedTensors<T> state) {
    each(state.at("nu"), [](const T&) { return T(0); });
    return step(options, in, state);
  });
}

/// Limits theta = (1 - alpha) Gamma to 1, as a safeguard would. nu, or ema_gz, changes by theta
/// (Lambda / Gamma - nu).
template <class Options>
Subject clamps_theta() {
  return around_layer<Options>([]<class T>(const Subject::Step<T>& step, const Options& options,
                                           const NormInputs<T>& in, const NamedTensors<T>& state) {
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

/// Returns a zero gradient at rows whose upstream gradient is zero.
template <class Options>
Subject silent_without_gradient() {
  return around_layer<Options>([]<class T>(const Subject::Step<T>& step, const Options& options,
                                           const NormInputs<T>& in, const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    const auto* grad_x = result.outputs.find("grad_x");
    if (grad_x == nullptr) return result;
    for (std::size_t i = 0; i < in.grad_y.size(); ++i)
      if (in.grad_y.data()[i] != T(0)) return result;
    each(result.outputs.at("grad_x"), [](const T&) { return T(0); });
    return result;
  });
}

/// Divides sums of squares by n - 1 if there are two or more rows.
Subject unbiased_variance() {
  return around_layer<BatchNormOptions>(
      []<class T>(const Subject::Step<T>& step, const BatchNormOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        std::size_t n = in.x.size() / in.x.shape().back();
        if (is_given(in.valid))
          n = static_cast<std::size_t>(
              std::count(in.valid.data(), in.valid.data() + in.valid.size(), true));
        if (n < 2) return result;
        const T factor = T(static_cast<double>(n)) / T(static_cast<double>(n - 1));
        each(result.outputs.at("biased_variance"), [&](const T& v) { return T(v * factor); });
        return result;
      });
}

Subject ignores_mask() {
  return around_layer<BatchNormOptions>(
      []<class T>(const Subject::Step<T>& step, const BatchNormOptions& options, NormInputs<T> in,
                  const NamedTensors<T>& state) {
        in.valid = decltype(in.valid)();
        return step(options, in, state);
      });
}

/// Treats the running psi^2 as a constant in the derivative.
Subject forgets_derivative() {
  return around_layer<PowerNormOptions>(
      []<class T>(const Subject::Step<T>& step, const PowerNormOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        each(result.state.at("running_psi2"),
             [](const T& v) { return ref::numeric::stop_gradient(v); });
        return result;
      });
}

/// Multiplies the weight of the new value in nu by `factor`, up to a weight of 1.
template <class Options>
Subject heavier_nu(double factor) {
  return with_options<Options>(
      [=](Options& o) { o.alpha_backward = 1 - std::min(1.0, factor * (1 - o.alpha_backward)); });
}

template <class Options>
Subject swapped_weights() {
  return with_options<Options>([](Options& o) { o.alpha_backward = 1 - o.alpha_backward; });
}

template <class Options>
Subject frozen(const std::string& name) {
  return with_next_state<Options>(name, [](const auto&, const auto& old) { return old; });
}

template <class Options>
Subject drifting_nu() {
  return with_next_state<Options>(
      "nu", []<class T>(const T& next, const T&) { return T(next * T(kSlightly)); });
}

Subject released_with(void (*change)(PowerNormReleasedOptions&)) {
  return with_options<PowerNormReleasedOptions>(change);
}

std::vector<Fault> recursion_faults() {
  using Released = PowerNormReleasedOptions;
  return {
      {"C1", "ema_gz is kept in units of nu",
       released_with([](Released& o) { o.scaled_nu = false; })},
      {"C1", "weights of nu swapped", swapped_weights<PowerNormOptions>()},
      {"C2", "nu drifts", drifting_nu<PowerNormOptions>()},
      {"C2", "ema_gz drifts", drifting_nu<Released>()},
      {"C3", "divides by the old psi",
       released_with([](Released& o) { o.divide_by_batch_psi = false; })},
      {"C4", "ema_gz is kept in units of nu",
       released_with([](Released& o) { o.scaled_nu = false; })},
      {"C5", "nu never moves", frozen<PowerNormOptions>("nu")},
      {"C5", "psi never moves", frozen<PowerNormOptions>("running_psi2")},
      {"C6", "psi forgets too fast",
       with_options<PowerNormOptions>([](PowerNormOptions& o) { o.alpha_forward /= kSlightly; })},
      {"C7", "no cumulative mean",
       released_with([](Released& o) { o.cumulative_warmup_average = false; })},
      {"C7", "warm-up is one iteration longer",
       released_with([](Released& o) { ++o.warmup_iterations; })},
      {"C8", "no warm-up in power_norm",
       with_options<PowerNormOptions>([](PowerNormOptions& o) { o.warmup_iterations = 0; })},
      {"C8", "nu drifts in the released code", drifting_nu<Released>()},
      {"C9", "no gradient where none arrives", silent_without_gradient<PowerNormOptions>()},
      {"C10", "nu has an offset",
       with_next_state<PowerNormOptions>(
           "nu", []<class T>(const T& next, const T&) { return T(next + T(0x1p-20)); })},
      {"C11", "no memory", forgets_nu<PowerNormOptions>()},
      {"C12", "valid rows alone", released_with([](Released& o) { o.pads_in_backward = false; })},
      {"C13", "valid rows alone", released_with([](Released& o) { o.pads_in_backward = false; })},
      {"C14", "variance over n minus 1", unbiased_variance()},
      {"C14", "mask ignored", ignores_mask()},
      {"C15", "one group",
       with_options<GroupScalingOptions>([](GroupScalingOptions& o) { o.groups = 1; })},
      {"C15", "slightly too large", scaled_output<GroupScalingOptions>("y", kSlightly)},
      {"C16", "psi is taken as a constant", forgets_derivative()},
      {"C16", "psi forgets too fast",
       with_options<PowerNormOptions>([](PowerNormOptions& o) { o.alpha_forward /= kSlightly; })},
  };
}

std::vector<Fault> boundedness_faults() {
  using Released = PowerNormReleasedOptions;
  const auto clamped =
      with_next_state<PowerNormOptions>("nu", []<class T>(const T& next, const T&) {
        return ref::numeric::clamp(next, T(-0.25), T(0.25));
      });
  return {
      {"D1", "weights of nu swapped", swapped_weights<PowerNormOptions>()},
      {"D1", "nu is slightly too large", drifting_nu<PowerNormOptions>()},
      {"D2", "the new value weighs more", heavier_nu<PowerNormOptions>(1.5)},
      {"D3", "Lambda is slightly too large",
       scaled_output<PowerNormOptions>("mean_g_x_hat", kSlightly)},
      {"D3", "Gamma is too small", scaled_output<PowerNormOptions>("mean_x_hat_squared", 0.5)},
      {"D4", "the new value weighs three times as much", heavier_nu<PowerNormOptions>(3)},
      {"D4", "the gradient is twice as large", scaled_output<PowerNormOptions>("grad_x", 2)},
      {"D5", "nu is clamped", clamped},
      {"D6", "theta is clamped", clamps_theta<PowerNormOptions>()},
      {"D7", "theta is clamped", clamps_theta<Released>()},
      {"D8", "weights of nu put in order", with_options<PowerNormOptions>([](PowerNormOptions& o) {
         o.alpha_backward = std::max(o.alpha_backward, 1 - o.alpha_backward);
       })},
      {"D9", "divides by the old psi",
       released_with([](Released& o) { o.divide_by_batch_psi = false; })},
      {"D10", "no memory", forgets_nu<PowerNormOptions>()},
      {"D11", "no memory", forgets_nu<PowerNormOptions>()},
      {"D12", "nu never moves", frozen<PowerNormOptions>("nu")},
      {"D13", "theta is clamped", clamps_theta<PowerNormOptions>()},
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
