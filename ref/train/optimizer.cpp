#include "ref/train/optimizer.hpp"

#include "ref/model/optimizer_checks.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/train/gradient_pairs.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

using model::AdamWOptions;
using model::OptimizerOptions;
using model::SgdOptions;

/// Returns the names of the moments that the optimizer keeps for each parameter, such as
/// "first_moment".
std::vector<std::string> moment_names(const OptimizerOptions& options) {
  const auto* const sgd = std::get_if<SgdOptions>(&options);
  if (sgd == nullptr) return {"first_moment", "second_moment"};
  if (sgd->momentum > 0) return {"velocity"};
  return {};
}
constexpr const char* kPowers[] = {"beta1_power", "beta2_power"};
bool has_beta_powers(const OptimizerOptions& options) {
  return !std::holds_alternative<SgdOptions>(options);
}

std::string moment_name(std::string_view moment, std::string_view parameter) {
  return fmt::format("{}/{}", moment, parameter);
}

template <class T>
void check_state(const OptimizerOptions& options, const std::vector<GradientPair<T>>& pairs,
                 const OptimizerState<T>& state) {
  const auto expect = [&](const std::string& name, const tensor::Shape& shape) {
    const Tensor<T>* found = state.moments.find(name);
    if (found == nullptr || shape_of(*found) != shape)
      contract_failure(
          kOptimizerStep, "state",
          fmt::format("has {} '{}'", found == nullptr ? "no" : "another shape of", name),
          fmt::format("that of initial_optimizer_state, shape {}", tensor::to_string(shape)),
          Clause::C6);
  };
  const std::vector<std::string> moments = moment_names(options);
  if (has_beta_powers(options))
    for (const char* power : kPowers) expect(power, {1});
  for (const auto& pair : pairs)
    for (const auto& moment : moments)
      expect(moment_name(moment, pair.name), shape_of(*pair.parameter));
  const std::size_t count = pairs.size() * moments.size() + (has_beta_powers(options) ? 2 : 0);
  if (state.moments.size() != count || state.step < 0)
    contract_failure(kOptimizerStep, "state",
                     fmt::format("has {} tensors and step {}", state.moments.size(), state.step),
                     fmt::format("the {} tensors of initial_optimizer_state, step >= 0", count),
                     Clause::C6);
}

template <class T>
void update_parameters(const SgdOptions& options, const T& lr,
                       const std::vector<GradientPair<T>>& pairs, OptimizerState<T>& state) {
  const T momentum(options.momentum);
  const std::vector<std::string> moments = moment_names(options);
  for (const auto& pair : pairs) {
    T* const parameter = pair.parameter->data();
    T* const velocity =
        moments.empty() ? nullptr : state.moments.at(moment_name(moments[0], pair.name)).data();
    for_each_gradient_part(pair, velocity != nullptr,
                           [=](std::size_t begin, std::size_t count, const T* __restrict g) {
                             T* __restrict p = parameter + begin;
                             if (velocity == nullptr) {
                               for (std::size_t i = 0; i < count; ++i) p[i] -= lr * g[i];
                               return;
                             }
                             T* __restrict v = velocity + begin;
                             for (std::size_t i = 0; i < count; ++i) {
                               v[i] = momentum * v[i] + g[i];
                               p[i] -= lr * v[i];
                             }
                           });
  }
}

template <class T, class Adam>
void update_parameters(const Adam& options, const T& lr, const std::vector<GradientPair<T>>& pairs,
                       OptimizerState<T>& state) {
  constexpr bool kHasWeightDecay = std::is_same_v<Adam, AdamWOptions>;
  const AdamWOptions o = model::convert_to_adamw_options(options);
  const T one(1), beta1(o.beta1), beta2(o.beta2), eps(o.eps);
  T& beta1_power = state.moments.at(kPowers[0]).data()[0];
  T& beta2_power = state.moments.at(kPowers[1]).data()[0];
  beta1_power *= beta1;
  beta2_power *= beta2;
  const T step_size = lr / (one - beta1_power);
  const T root = numeric::square_root(T(one - beta2_power));
  const T rest1 = one - beta1, rest2 = one - beta2, kept = one - lr * T(o.weight_decay);
  const std::vector<std::string> moments = moment_names(options);
  for (const auto& pair : pairs) {
    T* const parameter = pair.parameter->data();
    T* const first = state.moments.at(moment_name(moments[0], pair.name)).data();
    T* const second = state.moments.at(moment_name(moments[1], pair.name)).data();
    for_each_gradient_part(
        pair, true, [=](std::size_t begin, std::size_t count, const T* __restrict g) {
          T* __restrict p = parameter + begin;
          T* __restrict m = first + begin;
          T* __restrict v = second + begin;
          for (std::size_t i = 0; i < count; ++i) {
            if constexpr (kHasWeightDecay) p[i] *= kept;
            m[i] = beta1 * m[i] + rest1 * g[i];
            v[i] = beta2 * v[i] + (rest2 * g[i]) * g[i];
            p[i] -= (step_size * m[i]) / (numeric::square_root(v[i]) / root + eps);
          }
        });
  }
}

}  // namespace

template <numeric::Real T>
OptimizerState<T> initial_optimizer_state(const OptimizerOptions& options,
                                          const NamedTensors<T>& parameters) {
  model::check_optimizer(options);
  OptimizerState<T> state;
  if (has_beta_powers(options))
    for (const char* power : kPowers) state.moments.set(power, tensor::full_tensor<T>({1}, T(1)));
  for (const auto& [name, values] : parameters)
    for (const auto& moment : moment_names(options))
      state.moments.set(moment_name(moment, name), tensor::full_tensor<T>(shape_of(values), T(0)));
  return state;
}

template <numeric::Real T>
void optimizer_step(const OptimizerOptions& options, double learning_rate,
                    NamedTensors<T>& parameters, const Gradients<T>& gradients,
                    OptimizerState<T>& state) {
  model::check_optimizer(options);
  model::check_learning_rate(learning_rate);
  const std::vector<GradientPair<T>> pairs = pair_parameters_with_gradients(parameters, gradients);
  for (const auto& pair : pairs) check_gradient_shape(pair);
  for (const auto& pair : pairs) check_gradient_values(pair, has_beta_powers(options));
  check_state(options, pairs, state);
  std::visit([&](const auto& o) { update_parameters(o, T(learning_rate), pairs, state); }, options);
  ++state.step;
}

#define NORMPROOF_INSTANTIATE(T)                                                  \
  template OptimizerState<T> initial_optimizer_state(const OptimizerOptions&,     \
                                                     const NamedTensors<T>&);     \
  template void optimizer_step(const OptimizerOptions&, double, NamedTensors<T>&, \
                               const Gradients<T>&, OptimizerState<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
