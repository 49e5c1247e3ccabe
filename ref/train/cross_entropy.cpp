#include "ref/train/cross_entropy.hpp"

#include <fmt/format.h>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/generic_elements.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::train {
namespace {

using numeric::Clause;
using numeric::contract_failure;
using tensor::shape_of;

void check_matrix_of_logits(std::string_view function, std::string_view argument,
                            const tensor::Shape& shape, Clause clause) {
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
    contract_failure(function, argument, "has shape " + tensor::to_string(shape),
                     "[N, C] with extents at least 1", clause);
}

/// Class weights, checked; ones where there are none.
template <class T>
Tensor<T> checked_weights(std::string_view function, const Tensor<T>& given, std::size_t classes) {
  if (!tensor::is_given(given)) return tensor::full_tensor<T>({classes}, T(1));
  const auto refuse = [&](const std::string& observation) {
    contract_failure(function, "class_weights", observation,
                     fmt::format("shape [{}], finite elements >= 0 and a finite sum", classes),
                     Clause::C3);
  };
  if (shape_of(given) != tensor::Shape{classes})
    refuse("has shape " + tensor::to_string(shape_of(given)));
  for (std::size_t c = 0; c < classes; ++c) {
    const T& w = given.data()[c];
    if (!numeric::is_finite(w) || !(numeric::to_double(w) >= 0))
      refuse(fmt::format("has the element [{}] = {}", c, numeric::to_double(w)));
  }
  return given;
}

template <class T>
void refuse_overflow(const T& value, std::string_view what) {
  if (!numeric::is_finite(value))
    numeric::not_finite_failure("cross_entropy", "logits",
                                fmt::format("make {} {}", what, numeric::to_double(value)),
                                "logits so near each other that it is finite", Clause::C6);
}

/// What the loss and its derivative share: checked arguments, and constants of the batch.
template <class T>
struct LossBatch {
  LossBatch(std::string_view function, const tensor::Shape& shape,
            const std::vector<int>& all_targets, const Tensor<T>& class_weights,
            const model::LossOptions& options)
      : classes(shape[1]),
        weights(checked_weights(function, class_weights, classes)),
        smoothing(options.label_smoothing) {
    set_rows(function, shape[0], all_targets);
    tensor::check_option(function, "label_smoothing", smoothing, smoothing >= 0 && smoothing <= 1,
                         "0 <= label_smoothing <= 1", Clause::C4);
    hard_share = T(1) - T(smoothing);
    soft_share = T(smoothing) / T(static_cast<double>(classes));
    sum_of_weights = ops::sum_elements(weights);
    if (!numeric::is_finite(sum_of_weights))
      contract_failure(function, "class_weights", "have a sum that overflows", "a finite sum",
                       Clause::C3);
    Tensor<T> weights_of_targets = tensor::empty_tensor<T>({rows.size()});
    for (std::size_t k = 0; k < rows.size(); ++k) weights_of_targets.data()[k] = target_weight(k);
    total_weight = ops::sum_elements(weights_of_targets);
    if (!(numeric::to_double(total_weight) > 0) || !numeric::is_finite(total_weight))
      contract_failure(function, "class_weights",
                       fmt::format("give the targets the sum {}", numeric::to_double(total_weight)),
                       "a finite sum > 0", Clause::C5);
  }

  std::size_t row(std::size_t k) const { return rows[k]; }
  std::size_t target(std::size_t k) const { return targets[k]; }
  const T& target_weight(std::size_t k) const { return weights.data()[targets[k]]; }
  std::size_t grain() const { return 4096 / classes + 1; }

  std::size_t classes;
  Tensor<T> weights;
  double smoothing;
  std::vector<std::size_t> rows;     // those that are not ignored
  std::vector<std::size_t> targets;  // of these rows
  T hard_share{};
  T soft_share{};
  T sum_of_weights{};
  T total_weight{};

 private:
  void set_rows(std::string_view function, std::size_t count, const std::vector<int>& all_targets) {
    if (all_targets.size() != count)
      contract_failure(function, "targets", fmt::format("has {} elements", all_targets.size()),
                       fmt::format("{}, one a row", count), Clause::C2);
    for (std::size_t i = 0; i < count; ++i) {
      const int t = all_targets[i];
      if (t == kIgnored) continue;
      if (t < 0 || static_cast<std::size_t>(t) >= classes)
        contract_failure(
            function, "targets", fmt::format("has the element [{}] = {}", i, t),
            fmt::format("a class 0 .. {}, or {} where the row is ignored", classes - 1, kIgnored),
            Clause::C2);
      rows.push_back(i);
      targets.push_back(static_cast<std::size_t>(t));
    }
    if (rows.empty())
      contract_failure(function, "targets", "ignores every row", "one at least that counts",
                       Clause::C5);
  }
};

}  // namespace

template <numeric::Real T>
CrossEntropyForward<T> cross_entropy(const Tensor<T>& logits, const std::vector<int>& targets,
                                     const Tensor<T>& class_weights,
                                     const model::LossOptions& options) {
  constexpr auto kName = "cross_entropy";
  check_matrix_of_logits(kName, "logits", shape_of(logits), Clause::C1);
  const LossBatch<T> batch(kName, shape_of(logits), targets, class_weights, options);
  tensor::check_finite(kName, "logits", logits, Clause::C8);
  CrossEntropyForward<T> result{T(0), ops::log_softmax(logits)};
  Tensor<T> losses = tensor::empty_tensor<T>({batch.rows.size()});
  numeric::parallel_for(losses.size(), batch.grain(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const T* logp = result.log_probabilities.data() + batch.row(k) * batch.classes;
      T loss = batch.hard_share * (batch.target_weight(k) * -logp[batch.target(k)]);
      if (batch.smoothing > 0)
        loss += batch.soft_share *
                ops::contiguous_lane_sum<T>(batch.classes, [&, w = batch.weights.data()](auto at) {
                  return at(w) * -at(logp);
                });
      losses.data()[k] = loss;
    }
  });
  result.loss = ops::sum_elements(losses) / batch.total_weight;
  for (std::size_t i = 0; i < result.log_probabilities.size(); ++i)
    refuse_overflow(result.log_probabilities.data()[i], "a log-probability");
  refuse_overflow(result.loss, "the loss");
  return result;
}

template <numeric::Real T>
Tensor<T> cross_entropy_backward(const Tensor<T>& log_probabilities,
                                 const std::vector<int>& targets, const Tensor<T>& class_weights,
                                 const model::LossOptions& options) {
  constexpr auto kName = "cross_entropy_backward";
  check_matrix_of_logits(kName, "log_probabilities", shape_of(log_probabilities), Clause::C7);
  const LossBatch<T> batch(kName, shape_of(log_probabilities), targets, class_weights, options);
  tensor::check_finite(kName, "log_probabilities", log_probabilities, Clause::C7);
  Tensor<T> grad_logits = tensor::full_tensor<T>(shape_of(log_probabilities), T(0));
  numeric::parallel_for(batch.rows.size(), batch.grain(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t first = batch.row(k) * batch.classes;
      T* grad = grad_logits.data() + first;
      ops::Elements<T>::exp(log_probabilities.data() + first, batch.classes, grad);
      const T hard = batch.hard_share * batch.target_weight(k);
      const T whole = hard + batch.soft_share * batch.sum_of_weights;
      for (std::size_t c = 0; c < batch.classes; ++c) {
        T share = batch.soft_share * batch.weights.data()[c];
        if (c == batch.target(k)) share = hard + share;
        grad[c] = (grad[c] * whole - share) / batch.total_weight;
      }
    }
  });
  return grad_logits;
}

#define NORMPROOF_INSTANTIATE(T)                                                              \
  template CrossEntropyForward<T> cross_entropy(const Tensor<T>&, const std::vector<int>&,    \
                                                const Tensor<T>&, const model::LossOptions&); \
  template Tensor<T> cross_entropy_backward(const Tensor<T>&, const std::vector<int>&,        \
                                            const Tensor<T>&, const model::LossOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
