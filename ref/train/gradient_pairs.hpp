#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/activation_dispatch.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/gradients.hpp"

/// Pairs of a parameter and its gradient, which the optimizers of optimizer.cpp process.
namespace normproof::ref::train {

using numeric::Clause;
using numeric::contract_failure;
using tensor::NamedTensors;
using tensor::shape_of;
using tensor::Tensor;

inline constexpr auto kOptimizerStep = "optimizer_step";
inline constexpr std::size_t kOptimizerGrain = 4096;  // in elements; does not affect the bits

/// A parameter and its gradient. There is one pointer to a dense gradient and one to a RowGradient.
/// The gradient is only one of these two, and the other pointer is null.
template <class T>
struct GradientPair {
  std::string name;
  Tensor<T>* parameter = nullptr;
  const Tensor<T>* dense = nullptr;
  const nn::RowGradient<T>* rows = nullptr;

  const Tensor<T>& gradient() const { return dense != nullptr ? *dense : rows->values; }
  std::string gradient_name() const { return fmt::format("gradient of {}", name); }
};

/// Returns one pair per parameter: the parameter and its gradient.
/// Requires  (C3) of optimizer_step
template <class T>
std::vector<GradientPair<T>> pair_parameters_with_gradients(NamedTensors<T>& parameters,
                                                            const Gradients<T>& gradients) {
  std::vector<GradientPair<T>> pairs;
  for (auto& [name, values] : parameters) pairs.push_back({name, &values});
  const auto visit_set = [&](const std::string& name, const auto& set) {
    const auto found = std::ranges::find(pairs, name, &GradientPair<T>::name);
    if (found == pairs.end())
      contract_failure(kOptimizerStep, "gradients", fmt::format("has '{}'", name),
                       "names of parameters alone", Clause::C3);
    if (found->dense != nullptr || found->rows != nullptr)
      contract_failure(kOptimizerStep, "gradients", fmt::format("has '{}' twice", name),
                       "one gradient a parameter", Clause::C3);
    set(*found);
  };
  for (const auto& [name, values] : gradients.dense)
    visit_set(name, [&, v = &values](GradientPair<T>& pair) { pair.dense = v; });
  for (const auto& [name, rows] : gradients.rows)
    visit_set(name, [&, r = &rows](GradientPair<T>& pair) { pair.rows = r; });
  for (const auto& pair : pairs)
    if (pair.dense == nullptr && pair.rows == nullptr)
      contract_failure(kOptimizerStep, "gradients", fmt::format("has no '{}'", pair.name),
                       "one gradient a parameter", Clause::C3);
  return pairs;
}

/// Checks the shape of a gradient.
/// Requires  (C4) of optimizer_step
template <class T>
void check_gradient_shape(const GradientPair<T>& pair) {
  const auto fail = [&](const std::string& observation, const std::string& expectation) {
    contract_failure(kOptimizerStep, pair.gradient_name(), observation, expectation, Clause::C4);
  };
  const tensor::Shape shape = shape_of(*pair.parameter), given = shape_of(pair.gradient());
  if (pair.dense != nullptr) {
    if (given != shape)
      fail("has shape " + tensor::to_string(given), "shape " + tensor::to_string(shape));
    return;
  }
  const auto& rows = pair.rows->rows;
  if (shape.size() != 2)
    fail("is one of rows", "the whole of a parameter of shape " + tensor::to_string(shape));
  if (given != tensor::Shape{rows.size(), shape[1]})
    fail("has values of shape " + tensor::to_string(given),
         fmt::format("shape [{}, {}]", rows.size(), shape[1]));
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] >= shape[0] || (k > 0 && rows[k] <= rows[k - 1]))
      fail(fmt::format("has rows[{}] = {}", k, rows[k]),
           fmt::format("ascending numbers below {}", shape[0]));
}

/// Whether all elements are finite. If `squares` is true, whether the squares of all elements are
/// finite.
template <bool squares, class T>
bool all_finite(const T* g, std::size_t count) {
  if constexpr (!squares) {
    return ops::Elements<T>::all_finite(g, count);
  } else if constexpr (ops::is_packed<T>) {
    // If a square overflows, the difference of infinities is NaN, and so is the sum.
    return ops::contiguous_lane_sum<T>(count, [g](auto at) {
             const auto square = at(g) * at(g);
             return square - square;  // NOLINT(misc-redundant-expression)
           }) == 0;
  } else {
    for (std::size_t i = 0; i < count; ++i)
      if (!numeric::is_finite(T(g[i] * g[i]))) return false;
    return true;
  }
}

/// Checks that the values of a gradient are finite. If `squares` is true, their squares must be
/// finite too.
/// Requires  (C5) of optimizer_step
template <class T>
void check_gradient_values(const GradientPair<T>& pair, bool squares) {
  const T* g = pair.gradient().data();
  const auto finite = [=](std::size_t i) {
    return numeric::is_finite(squares ? T(g[i] * g[i]) : g[i]);
  };
  const std::size_t size = pair.gradient().size();
  const std::size_t bad =
      ops::find_rejected_index(size, kOptimizerGrain, [&](std::size_t begin, std::size_t end) {
        const T* part = g + begin;
        if (squares ? all_finite<true>(part, end - begin) : all_finite<false>(part, end - begin))
          return end;
        while (finite(begin)) ++begin;
        return begin;
      });
  if (bad < size)
    numeric::not_finite_failure(kOptimizerStep, pair.gradient_name(),
                                fmt::format("has the element {} = {}",
                                            tensor::index_to_string(bad, shape_of(pair.gradient())),
                                            numeric::to_double(g[bad])),
                                squares ? "elements with finite squares" : "finite elements",
                                Clause::C5);
}

/// Calls update(begin, count, g) for ranges of elements [begin, begin + count) of the parameter; g
/// points to the gradient of these elements. If the gradient is a RowGradient and `all` is true,
/// the rows that it does not store are included, with the gradient +0.
template <class T, class Update>
void for_each_gradient_part(const GradientPair<T>& pair, bool all, Update&& update) {
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

}  // namespace normproof::ref::train
