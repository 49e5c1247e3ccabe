#include "verification/claims/ledger/injected_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"

// The table of injected errors. For each claim it names the layer, its tensor, and the change.
namespace normproof::verification::claims::ledger {

using namespace fixtures;

namespace {

using namespace engine;
using ref::tensor::is_given;

enum class InjectedChange {
  times,     ///< v becomes v (1 + δ)
  plus,      ///< v becomes v + δ
  plus_own,  ///< y becomes y + δ x, grad_x becomes grad_x + δ grad_y
  /// Adds δ times an element of x to every element v of the tensor. This element of x has the same
  /// feature as v and is in the first row of the batch, even if a claim examines another row.
  plus_first_row,
  eps  ///< eps becomes eps (1 + δ)
};

/// An injected error in one tensor that a layer's step returns: an output or a part of the state.
/// If a claim is expected to be refuted, a small error cannot make its statement true. The error is
/// then injected into a tensor that the claim's control examines.
struct Step {
  std::string_view claims;  ///< separated by spaces
  std::string_view layer;   ///< empty: every layer
  std::string_view tensor;
  InjectedChange how = InjectedChange::times;
};

constexpr std::array kSteps = {
    Step{"T1", "layer_norm", "y", InjectedChange::plus_own},
    Step{"T2", "layer_norm", "y", InjectedChange::plus_first_row},
    Step{"T3", "", "eps", InjectedChange::eps},
    Step{"T4", "batch_norm", "y", InjectedChange::plus_first_row},
    Step{"T5 B18", "batch_norm", "y", InjectedChange::plus_own},
    Step{"A1 B2 B14 B15", "batch_norm", "grad_x"},
    Step{"A2 E4 E5", "layer_norm", "grad_x"},
    Step{"A3 A5 A12 A13 B1 B3 B8 B9 B10 B11 B12 B13 D11", "power_norm_v", "grad_x"},
    Step{"A4", "rms_norm", "grad_x"},
    Step{"A6", "group_norm", "grad_x"},
    Step{"A7", "instance_norm", "grad_x"},
    Step{"A8", "group_scaling", "grad_x"},
    Step{"A9", "scale_norm", "grad_x"},
    Step{"A10", "batch_renorm", "grad_x"},
    Step{"A11", "", "grad_gamma"},
    Step{"B4", "batch_norm", "grad_x", InjectedChange::plus_own},
    Step{"B5", "power_norm_v", "quadratic_mean"},
    Step{"B6 B7", "", "grad_x"},
    Step{"B17", "power_norm_v", "y", InjectedChange::plus_own},
    Step{"B16 C3 C9 D4 D9 D10 D12", "power_norm", "grad_x"},
    Step{"C1 C2 C5 D1 D2 D5 D6 D8 D13", "power_norm", "nu"},
    Step{"C4 C8 D7", "power_norm_released", "nu"},
    Step{"C10 C11", "power_norm", "nu", InjectedChange::plus},
    Step{"C12", "power_norm_released", "grad_x", InjectedChange::plus},
    Step{"C13", "power_norm_released", "nu", InjectedChange::plus_first_row},
    Step{"C6 C16", "power_norm", "running_psi2"},
    Step{"C7", "power_norm_released", "running_psi2"},
    Step{"C14", "batch_norm", "biased_variance", InjectedChange::plus},
    Step{"C15", "group_scaling", "y"},
    Step{"D3", "power_norm", "mean_g_x_hat"},
    Step{"E11", "layer_norm", "rstd"},
    Step{"F1", "dyt", "grad_x"},
    Step{"F2 F3", "dyt", "y"},
    Step{"F4", "dyt", "y", InjectedChange::plus_first_row},
    Step{"F5", "rms_norm", "y", InjectedChange::plus_own}};

/// Returns 1 + δ in the scalar type T.
template <class T>
T error_factor(double delta) {
  return T(1) + T(delta);
}

template <class T>
void inject_change(ref::tensor::Tensor<T>& values, const Step& step, double delta,
                   const NormInputs<T>& in) {
  const auto& own = step.tensor == "grad_x" ? in.grad_y : in.x;
  for (std::size_t i = 0; i < values.size(); ++i) {
    T& v = values.data()[i];
    switch (step.how) {
      case InjectedChange::times:
        v = T(v * error_factor<T>(delta));
        break;
      case InjectedChange::plus:
        v = T(v + T(delta));
        break;
      case InjectedChange::plus_own:
        v = T(v + T(delta) * own.data()[i]);
        break;
      case InjectedChange::plus_first_row:
        v = T(v + T(delta) * in.x.data()[i % in.x.shape().back()]);
        break;
      case InjectedChange::eps:
        break;
    }
  }
}

template <class T>
TestedImplementation::Step<T> apply_injected_change(const TestedImplementation::Step<T>& sound,
                                                    const Step& step, double delta) {
  return [=](NormOptions options, const NormInputs<T>& in, const NamedTensors<T>& state) {
    const bool meant = step.layer.empty() || step.layer == ref::model::norm_name(options);
    if (meant && step.how == InjectedChange::eps)
      std::visit(
          [&](auto& o) {
            if constexpr (requires { o.eps; }) o.eps *= 1 + delta;
          },
          options);
    auto result = sound(options, in, state);
    if (!meant) return result;
    const std::string name(step.tensor);
    if (auto* output = result.outputs.find(name)) inject_change(*output, step, delta, in);
    if (auto* next = result.state.find(name)) inject_change(*next, step, delta, in);
    return result;
  };
}

TestedImplementation replace_step(const Step& step, double delta) {
  TestedImplementation subject;
  subject.step_double = apply_injected_change<double>(subject.step_double, step, delta);
  subject.step_oracle50 = apply_injected_change<oracle50>(subject.step_oracle50, step, delta);
  subject.step_oracle100 = apply_injected_change<oracle100>(subject.step_oracle100, step, delta);
  subject.step_dual = apply_injected_change<dual>(subject.step_dual, step, delta);
  return subject;
}

std::string text_of(const Step& step) {
  const std::string layer =
      step.layer.empty() ? "every layer's " : fmt::format("{}'s ", step.layer);
  switch (step.how) {
    case InjectedChange::times:
    case InjectedChange::eps:
      return fmt::format("{}{} × (1 + δ)", layer, step.tensor);
    case InjectedChange::plus:
      return fmt::format("{}{} + δ", layer, step.tensor);
    case InjectedChange::plus_own:
      return fmt::format("{}{} + δ {}", layer, step.tensor,
                         step.tensor == "grad_x" ? "grad_y" : "x");
    case InjectedChange::plus_first_row:
      break;
  }
  return fmt::format("{}{} + δ times the first row of x", layer, step.tensor);
}

bool names(std::string_view list, std::string_view id) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == id) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

template <class T>
void scale(ref::tensor::Tensor<T>& values, const T& factor) {
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] *= factor;
}

/// Returns an injected error in a stack of layers. `before(in, delta)` changes the inputs of the
/// stack, and `after(in, step, delta)` changes its outputs. If `in_double`, runs in double are
/// changed and runs in ball arithmetic are not.
template <class Before, class After>
InjectedError make_stack_error(const std::string& what, bool in_double, Before before,
                               After after) {
  return {in_double ? "in the draws: " + what : what, [=](double delta) {
            const auto wrap = [=](auto run) {
              return [=](auto in) {
                before(in, delta);
                auto step = run(in);
                after(in, step, delta);
                return step;
              };
            };
            TestedImplementation subject;
            subject.stack_double = wrap(subject.stack_double);
            if (!in_double) subject.stack_ball = wrap(subject.stack_ball);
            return subject;
          }};
}

constexpr auto kNoChange = [](auto&&...) {};
template <class Inputs>
using scalar_of = std::decay_t<decltype(*std::declval<Inputs&>().x.data())>;

InjectedError increase_second_weight(bool in_double) {
  return make_stack_error(
      "W_2 × (1 + δ)", in_double,
      [](auto& in, double delta) {
        for (auto& layer : in.layers)
          scale(layer.feed_forward.second.weight, error_factor<scalar_of<decltype(in)>>(delta));
      },
      kNoChange);
}

InjectedError increase_value_weight(bool in_double) {
  return make_stack_error(
      "W_V × (1 + δ)", in_double,
      [](auto& in, double delta) {
        for (auto& layer : in.layers)
          scale(layer.attention.in.weight, error_factor<scalar_of<decltype(in)>>(delta));
      },
      kNoChange);
}

/// Returns an injected error that multiplies ‖∂L/∂W_2‖ by `factor(inputs, delta)`.
template <class Factor>
InjectedError increase_gradient_norm(const std::string& what, bool in_double, Factor factor) {
  return make_stack_error(
      what, in_double, kNoChange, [factor](const auto& in, auto& step, double delta) {
        if (!step.gradients.empty())
          scale(step.gradients.back().feed_forward.second.weight, factor(in, delta));
      });
}

constexpr auto kOnePlusDelta = [](const auto& in, double delta) {
  return error_factor<scalar_of<decltype(in)>>(delta);
};
double raise_to_power(double base, double exponent) {
  return ref::numeric::exp(exponent * ref::numeric::log(base));
}

/// Returns an injected error that multiplies ‖∂L/∂W_2‖ by `size^(sign * delta)`. If `of_width` is
/// true, `size` is the network's width divided by 16. Otherwise `size` is the number of layers.
InjectedError change_exponent(bool of_width, double sign) {
  return increase_gradient_norm(
      fmt::format("‖∂L/∂W_2‖ × {}^{}δ", of_width ? "(d/16)" : "L", sign < 0 ? "−" : ""), true,
      [=](const auto& in, double delta) {
        const double size = of_width ? static_cast<double>(in.config.d_model) / 16
                                     : static_cast<double>(in.layers.size());
        return scalar_of<decltype(in)>(raise_to_power(size, sign * delta));
      });
}

InjectedError increase_grad_x() {
  return make_stack_error("the encoder's grad_x × (1 + δ)", false, kNoChange,
                          [](const auto& in, auto& step, double delta) {
                            scale(step.grad_x, error_factor<scalar_of<decltype(in)>>(delta));
                          });
}

InjectedError last_token_everywhere() {
  return make_stack_error("the encoder's y + δ times the last row of x", false, kNoChange,
                          [](const auto& in, auto& step, double delta) {
                            using T = scalar_of<decltype(in)>;
                            const std::size_t d = in.config.d_model;
                            const T* last = in.x.data() + (in.x.size() - d);
                            for (std::size_t i = 0; i < step.y.size(); ++i)
                              step.y.data()[i] += T(delta) * last[i % d];
                          });
}

InjectedError increase_relu() {
  return {"ReLU × (1 + δ)", [](double delta) {
            TestedImplementation subject;
            subject.relu = [=, sound = subject.relu](const auto& x) {
              auto y = sound(x);
              scale(y, 1 + delta);
              return y;
            };
            return subject;
          }};
}

InjectedError increase_product() {
  return {"products × (1 + δ)", [](double delta) {
            TestedImplementation subject;
            subject.matmul = [=, sound = subject.matmul](const auto& a, const auto& b) {
              auto c = sound(a, b);
              scale(c, 1 + delta);
              return c;
            };
            return subject;
          }};
}

}  // namespace

std::vector<InjectedError> injected_errors_for(std::string_view claim) {
  for (const Step& step : kSteps)
    if (names(step.claims, claim))
      return {{text_of(step), [&step](double delta) { return replace_step(step, delta); }}};
  const InjectedError gradient =
      increase_gradient_norm("‖∂L/∂W_2‖ × (1 + δ)", false, kOnePlusDelta);
  if (names("E1 E10", claim)) return {increase_relu()};
  if (claim == "E2") return {increase_second_weight(false), increase_second_weight(true)};
  if (claim == "E3") return {increase_value_weight(false), increase_value_weight(true)};
  if (names("E6 E7", claim)) return {gradient, change_exponent(true, 1), change_exponent(true, -1)};
  if (names("E8 E9", claim))
    return {gradient, change_exponent(false, 1), change_exponent(false, -1)};
  if (names("E12 E13 E14 E15", claim)) return {increase_grad_x()};
  if (names("L1 L2 L3 L4 L5", claim)) return {last_token_everywhere()};
  if (names("M1 M2", claim)) return {increase_product()};
  throw ref::numeric::UsageError(fmt::format(
      "injected_errors_for: claim is \"{}\"; expected one for which something is planted", claim));
}

}  // namespace normproof::verification::claims::ledger
