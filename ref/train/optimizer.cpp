#include "ref/train/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/activation_dispatch.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::train {
namespace {

using model::AdamOptions;
using model::AdamWOptions;
using model::OptimizerOptions;
using model::SgdOptions;
using numeric::contract_failure;
using tensor::shape_of;
using tensor::Tensor;

constexpr auto kOptimizerStep = "optimizer_step";
constexpr std::size_t kOptimizerGrain = 4096;  // elements; the bits do not depend on it

/// A parameter and its gradient, of which one form is given.
template <class T>
struct Pair {
  std::string name;
  Tensor<T>* parameter = nullptr;
  const Tensor<T>* dense = nullptr;
  const nn::RowGradient<T>* rows = nullptr;

  const Tensor<T>& gradient() const { return dense != nullptr ? *dense : rows->values; }
  std::string gradient_name() const { return fmt::format("gradient of {}", name); }
};

void check_share(std::string_view option, double value) {
  tensor::check_option(kOptimizerStep, option, value, value >= 0 && value < 1,
                       fmt::format("0 <= {} < 1 (C1)", option));
}

void check_not_negative(std::string_view option, double value, std::string_view requirement) {
  tensor::check_option(kOptimizerStep, option, value, value >= 0,
                       fmt::format("{} >= 0 ({})", option, requirement));
}

AdamWOptions with_decay(const AdamOptions& options) {
  return {options.beta1, options.beta2, options.eps, 0};
}
AdamWOptions with_decay(const AdamWOptions& options) {
  return options;
}

void check_optimizer(const SgdOptions& options) {
  check_not_negative("momentum", options.momentum, "C1");
}
template <class Adam>
void check_optimizer(const Adam& options) {
  const AdamWOptions o = with_decay(options);
  check_share("beta1", o.beta1);
  check_share("beta2", o.beta2);
  tensor::check_option(kOptimizerStep, "eps", o.eps, o.eps > 0, "eps > 0 (C1)");
  check_not_negative("weight_decay", o.weight_decay, "C1");
}

/// The names of the moments of a parameter, without its own.
std::vector<std::string> moment_names(const OptimizerOptions& options) {
  const auto* const sgd = std::get_if<SgdOptions>(&options);
  if (sgd == nullptr) return {"first_moment", "second_moment"};
  if (sgd->momentum > 0) return {"velocity"};
  return {};
}
constexpr const char* kPowers[] = {"beta1_power", "beta2_power"};
bool has_powers(const OptimizerOptions& options) {
  return !std::holds_alternative<SgdOptions>(options);
}

std::string moment_name(std::string_view moment, std::string_view parameter) {
  return fmt::format("{}/{}", moment, parameter);
}

template <class T>
std::vector<Pair<T>> pair_up(NamedTensors<T>& parameters, const Gradients<T>& gradients) {
  std::vector<Pair<T>> pairs;
  for (auto& [name, values] : parameters) pairs.push_back({name, &values});
  const auto give = [&](const std::string& name, const auto& set) {
    const auto found = std::ranges::find(pairs, name, &Pair<T>::name);
    if (found == pairs.end())
      contract_failure(kOptimizerStep, "gradients", fmt::format("has '{}'", name),
                       "names of parameters alone (C3)");
    if (found->dense != nullptr || found->rows != nullptr)
      contract_failure(kOptimizerStep, "gradients", fmt::format("has '{}' twice", name),
                       "one gradient a parameter (C3)");
    set(*found);
  };
  for (const auto& [name, values] : gradients.dense)
    give(name, [&, v = &values](Pair<T>& pair) { pair.dense = v; });
  for (const auto& [name, rows] : gradients.rows)
    give(name, [&, r = &rows](Pair<T>& pair) { pair.rows = r; });
  for (const auto& pair : pairs)
    if (pair.dense == nullptr && pair.rows == nullptr)
      contract_failure(kOptimizerStep, "gradients", fmt::format("has no '{}'", pair.name),
                       "one gradient a parameter (C3)");
  return pairs;
}

template <class T>
void check_gradient_shape(const Pair<T>& pair) {
  const auto refuse = [&](const std::string& observation, const std::string& expectation) {
    contract_failure(kOptimizerStep, pair.gradient_name(), observation, expectation + " (C4)");
  };
  const tensor::Shape shape = shape_of(*pair.parameter), given = shape_of(pair.gradient());
  if (pair.dense != nullptr) {
    if (given != shape)
      refuse("has shape " + tensor::to_string(given), "shape " + tensor::to_string(shape));
    return;
  }
  const auto& rows = pair.rows->rows;
  if (shape.size() != 2)
    refuse("is one of rows", "the whole of a parameter of shape " + tensor::to_string(shape));
  if (given != tensor::Shape{rows.size(), shape[1]})
    refuse("has values of shape " + tensor::to_string(given),
           fmt::format("shape [{}, {}]", rows.size(), shape[1]));
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] >= shape[0] || (k > 0 && rows[k] <= rows[k - 1]))
      refuse(fmt::format("has rows[{}] = {}", k, rows[k]),
             fmt::format("ascending numbers below {}", shape[0]));
}

template <class T>
void check_gradient_values(const Pair<T>& pair, bool squares) {
  const T* g = pair.gradient().data();
  const auto finite = [=](std::size_t i) {
    return numeric::is_finite(squares ? T(g[i] * g[i]) : g[i]);
  };
  const std::size_t size = pair.gradient().size();
  const std::size_t bad =
      ops::first_refused(size, kOptimizerGrain, [&](std::size_t begin, std::size_t end) {
        unsigned long refused = 0;
        for (std::size_t i = begin; i < end; ++i) refused |= static_cast<unsigned long>(!finite(i));
        if (refused == 0) return end;
        while (finite(begin)) ++begin;
        return begin;
      });
  if (bad < size)
    contract_failure(kOptimizerStep, pair.gradient_name(),
                     fmt::format("has the element {} = {}",
                                 tensor::index_to_string(bad, shape_of(pair.gradient())),
                                 numeric::to_double(g[bad])),
                     squares ? "elements with finite squares (C5)" : "finite elements (C5)");
}

template <class T>
void check_state(const OptimizerOptions& options, const std::vector<Pair<T>>& pairs,
                 const OptimizerState<T>& state) {
  const auto expect = [&](const std::string& name, const tensor::Shape& shape) {
    const Tensor<T>* found = state.moments.find(name);
    if (found == nullptr || shape_of(*found) != shape)
      contract_failure(
          kOptimizerStep, "state",
          fmt::format("has {} '{}'", found == nullptr ? "no" : "another shape of", name),
          fmt::format("that of initial_optimizer_state, shape {} (C6)", tensor::to_string(shape)));
  };
  const std::vector<std::string> moments = moment_names(options);
  if (has_powers(options))
    for (const char* power : kPowers) expect(power, {1});
  for (const auto& pair : pairs)
    for (const auto& moment : moments)
      expect(moment_name(moment, pair.name), shape_of(*pair.parameter));
  const std::size_t count = pairs.size() * moments.size() + (has_powers(options) ? 2 : 0);
  if (state.moments.size() != count || state.step < 0)
    contract_failure(
        kOptimizerStep, "state",
        fmt::format("has {} tensors and step {}", state.moments.size(), state.step),
        fmt::format("the {} tensors of initial_optimizer_state, step >= 0 (C6)", count));
}

/// update(begin, count, g) for the elements [begin, begin + count), g their gradient; `all`: those
/// of the rows that a row gradient leaves out too, which are +0.
template <class T, class Update>
void for_each_part(const Pair<T>& pair, bool all, Update&& update) {
  if (pair.dense != nullptr) {
    numeric::parallel_for(pair.dense->size(), kOptimizerGrain,
                          [&](std::size_t begin, std::size_t end) {
                            update(begin, end - begin, pair.dense->data() + begin);
                          });
    return;
  }
  const auto& rows = pair.rows->rows;
  const std::size_t width = pair.parameter->shape(1);
  const std::size_t grain = kOptimizerGrain / std::max<std::size_t>(width, 1) + 1;
  const auto values = [&](std::size_t k) { return pair.rows->values.data() + k * width; };
  if (!all) {
    numeric::parallel_for(rows.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) update(rows[k] * width, width, values(k));
    });
    return;
  }
  const std::vector<T> zeros(width, T(0));
  numeric::parallel_for(pair.parameter->shape(0), grain, [&](std::size_t begin, std::size_t end) {
    auto k = static_cast<std::size_t>(std::ranges::lower_bound(rows, begin) - rows.begin());
    for (std::size_t row = begin; row < end; ++row) {
      const bool given = k < rows.size() && rows[k] == row;
      update(row * width, width, given ? values(k++) : zeros.data());
    }
  });
}

template <class T>
void step_of(const SgdOptions& options, const T& lr, const std::vector<Pair<T>>& pairs,
             OptimizerState<T>& state) {
  const T momentum(options.momentum);
  const std::vector<std::string> moments = moment_names(options);
  for (const auto& pair : pairs) {
    T* const parameter = pair.parameter->data();
    T* const velocity =
        moments.empty() ? nullptr : state.moments.at(moment_name(moments[0], pair.name)).data();
    for_each_part(pair, velocity != nullptr,
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
void step_of(const Adam& options, const T& lr, const std::vector<Pair<T>>& pairs,
             OptimizerState<T>& state) {
  constexpr bool kDecays = std::is_same_v<Adam, AdamWOptions>;
  const AdamWOptions o = with_decay(options);
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
    for_each_part(pair, true, [=](std::size_t begin, std::size_t count, const T* __restrict g) {
      T* __restrict p = parameter + begin;
      T* __restrict m = first + begin;
      T* __restrict v = second + begin;
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (kDecays) p[i] *= kept;
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
  std::visit([](const auto& o) { check_optimizer(o); }, options);
  OptimizerState<T> state;
  if (has_powers(options))
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
  std::visit([](const auto& o) { check_optimizer(o); }, options);
  check_not_negative("learning_rate", learning_rate, "C2");
  const std::vector<Pair<T>> pairs = pair_up(parameters, gradients);
  for (const auto& pair : pairs) check_gradient_shape(pair);
  for (const auto& pair : pairs) check_gradient_values(pair, has_powers(options));
  check_state(options, pairs, state);
  std::visit([&](const auto& o) { step_of(o, T(learning_rate), pairs, state); }, options);
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
