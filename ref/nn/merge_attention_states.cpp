#include "ref/nn/merge_attention_states.hpp"

#include <limits>
#include <string_view>
#include <type_traits>

#include "ref/model/attention_states.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/generic_elements.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using model::AttentionStates;
using model::is_present;
using numeric::Clause;
using tensor::shape_of;

namespace {

constexpr std::size_t kMergeGrain = 4096;  // elements per range; does not affect the bits

tensor::Shape shape_or_none(const Mask& mask) {
  return tensor::is_given(mask) ? shape_of(mask) : tensor::Shape{};
}

/// Checks the elements of the splits that are not empty. A split has `width` elements.
template <class T>
void check_present(std::string_view function, std::string_view argument, const Tensor<T>& t,
                   std::size_t width, const Mask& present) {
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!is_present(present, i / width) || numeric::is_finite(t.data()[i])) continue;
    numeric::not_finite_failure(function, argument,
                                "has the element " + tensor::index_to_string(i, shape_of(t)) +
                                    " = " + std::to_string(numeric::to_double(t.data()[i])),
                                "finite values in splits that are not empty", Clause::C4);
  }
}

/// Returns v as a number without error and without derivative. The results are the same for every
/// number that is subtracted from the logarithms of a query.
template <class T>
T shift_without_error(const T& v) {
  if constexpr (std::is_same_v<T, double>)
    return v;
  else
    return ops::Elements<T>::shift_near(v);
}

/// Multiplies a logarithm by log(2) if its base is 2.
template <class T>
T make_natural(const T& log, const model::MergeAttentionStatesOptions& options) {
  return options.log_sum_exp_base == model::LogSumExpBase::two ? T(log * numeric::log(T(2))) : log;
}

/// The logarithms of the splits of each query relative to the largest of them.
template <class T>
struct RelativeLogs {
  Tensor<T> differences;  ///< [B H T, P]; 0 in empty splits
  Tensor<T> largest;      ///< [B H T]; 0 if all splits are empty
};

template <class T>
RelativeLogs<T> relative_logs(const AttentionStates& states, const Tensor<T>& log_sum_exp,
                              const Mask& present,
                              const model::MergeAttentionStatesOptions& options) {
  RelativeLogs<T> result{tensor::full_tensor<T>({states.rows, states.splits}, T(0)),
                         tensor::full_tensor<T>({states.rows}, T(0))};
  for (std::size_t row = 0; row < states.rows; ++row) {
    T& largest = result.largest.data()[row];
    bool found = false;
    for (std::size_t p = 0; p < states.splits; ++p) {
      const std::size_t at = states.state(p, row);
      if (!is_present(present, at)) continue;
      const T candidate = shift_without_error(log_sum_exp.data()[at]);
      if (!found || largest < candidate) largest = candidate;
      found = true;
    }
    for (std::size_t p = 0; p < states.splits; ++p) {
      const std::size_t at = states.state(p, row);
      if (!is_present(present, at)) continue;
      result.differences.data()[row * states.splits + p] =
          make_natural<T>(log_sum_exp.data()[at] - largest, options);
    }
  }
  return result;
}

/// Returns a tensor [P, B H T E] with f(split, row, feature), or +0 in empty splits.
template <class T, class F>
Tensor<T> for_each_feature(const AttentionStates& states, const Mask& present, F f) {
  const std::size_t width = states.value_features;
  Tensor<T> result = tensor::empty_tensor<T>({states.splits, states.rows * width});
  numeric::parallel_for(result.size(), kMergeGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t split = i / width / states.rows, row = i / width % states.rows;
      result.data()[i] = is_present(present, i / width) ? T(f(split, row, i % width)) : T(0);
    }
  });
  return result;
}

}  // namespace

template <numeric::Real T>
MergedStates<T> merge_attention_states(const Tensor<T>& o, const Tensor<T>& log_sum_exp,
                                       const Mask& present,
                                       const model::MergeAttentionStatesOptions& options) {
  constexpr auto kName = "merge_attention_states";
  const AttentionStates states =
      model::attention_states(kName, shape_of(o), shape_of(log_sum_exp), shape_or_none(present));
  check_present(kName, "o", o, states.value_features, present);
  check_present(kName, "log_sum_exp", log_sum_exp, 1, present);
  const RelativeLogs<T> logs = relative_logs(states, log_sum_exp, present, options);
  MergedStates<T> result;
  Mask by_row = model::states_by_row(states, present);
  const Mask without = model::queries_without_state(states, present);
  result.weights = ops::softmax(logs.differences, by_row);
  const std::size_t width = states.value_features;
  result.y = ops::sum_columns(
      for_each_feature<T>(states, present, [&](std::size_t p, std::size_t row, std::size_t e) {
        return result.weights.data()[row * states.splits + p] *
               o.data()[states.state(p, row) * width + e];
      }));
  result.y.reshape(states.y_shape());
  // A sum of exponentials needs a term. Below, the sum of a query without any state is replaced.
  for (std::size_t i = 0; i < by_row.size() && tensor::is_given(by_row); ++i)
    if (without.data()[i / states.splits]) by_row.data()[i] = true;
  result.log_sum_exp = ops::log_sum_exp(logs.differences, by_row);
  for (std::size_t row = 0; row < states.rows; ++row) {
    T& log = result.log_sum_exp.data()[row];
    if (options.log_sum_exp_base == model::LogSumExpBase::two) log = log / numeric::log(T(2));
    log = logs.largest.data()[row] + log;
    if (!tensor::is_given(without) || !without.data()[row]) continue;
    if constexpr (std::is_same_v<T, double>)
      log = -std::numeric_limits<double>::infinity();
    else
      log = T(0);
  }
  result.log_sum_exp.reshape(states.queries);
  return result;
}

template <numeric::Real T>
StateGradients<T> merge_attention_states_backward(
    const Tensor<T>& grad_y, const Tensor<T>& o, const Tensor<T>& weights, const Mask& present,
    const model::MergeAttentionStatesOptions& options) {
  constexpr auto kName = "merge_attention_states_backward";
  tensor::Shape logs = shape_of(o);
  if (!logs.empty()) logs.pop_back();
  const AttentionStates states =
      model::attention_states(kName, shape_of(o), logs, shape_or_none(present));
  check_present(kName, "o", o, states.value_features, present);
  tensor::check_shape(kName, "grad_y", shape_of(grad_y), states.y_shape(), Clause::C5);
  tensor::check_shape(kName, "weights", shape_of(weights), {states.rows, states.splits},
                      Clause::C6);
  tensor::check_finite(kName, "grad_y", grad_y, Clause::C5);
  const std::size_t width = states.value_features;
  StateGradients<T> gradients;
  gradients.o =
      for_each_feature<T>(states, present, [&](std::size_t p, std::size_t row, std::size_t e) {
        return weights.data()[row * states.splits + p] * grad_y.data()[row * width + e];
      });
  gradients.o.reshape(shape_of(o));
  Tensor<T> products =
      for_each_feature<T>(states, present, [&](std::size_t p, std::size_t row, std::size_t e) {
        return grad_y.data()[row * width + e] * o.data()[states.state(p, row) * width + e];
      });
  products.reshape({states.splits * states.rows, width});
  const Tensor<T> sums = ops::sum_rows(products);
  Tensor<T> grad_weights = tensor::empty_tensor<T>({states.rows, states.splits});
  for (std::size_t i = 0; i < grad_weights.size(); ++i)
    grad_weights.data()[i] = sums.data()[states.state(i % states.splits, i / states.splits)];
  const Tensor<T> grad_logs =
      ops::softmax_backward(grad_weights, weights, model::states_by_row(states, present));
  gradients.log_sum_exp = tensor::empty_tensor<T>(logs);
  for (std::size_t i = 0; i < grad_logs.size(); ++i)
    gradients.log_sum_exp.data()[states.state(i % states.splits, i / states.splits)] =
        make_natural(grad_logs.data()[i], options);
  return gradients;
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template MergedStates<T> merge_attention_states(const Tensor<T>&, const Tensor<T>&, const Mask&, \
                                                  const model::MergeAttentionStatesOptions&);      \
  template StateGradients<T> merge_attention_states_backward(                                      \
      const Tensor<T>&, const Tensor<T>&, const Tensor<T>&, const Mask&,                           \
      const model::MergeAttentionStatesOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
