#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ref/ops/activation_dispatch.hpp"
#include "ref/ops/generic_elements.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/cross_entropy.hpp"

/// The cross-entropy of single rows. The same formula serves logits that are all in memory and
/// logits that are computed a few rows at a time. The clause numbers are the same as in
/// cross_entropy.hpp.
namespace normproof::ref::train {

using tensor::shape_of;

/// Checks that the shape is that of a matrix of logits, as a clause of cross_entropy requires.
inline void check_matrix_of_logits(std::string_view function, std::string_view argument,
                                   const tensor::Shape& shape, numeric::Clause clause) {
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
    numeric::contract_failure(function, argument, "has shape " + tensor::to_string(shape),
                              "[N, C] with extents at least 1", clause);
}

/// Checks the class weights and returns them. If none are given, it returns ones.
template <class T>
Tensor<T> check_and_return_weights(std::string_view function, const Tensor<T>& given,
                                   std::size_t classes) {
  if (!tensor::is_given(given)) return tensor::full_tensor<T>({classes}, T(1));
  const auto fail = [&](const std::string& observation) {
    numeric::contract_failure(
        function, "class_weights", observation,
        fmt::format("shape [{}], finite elements >= 0 and a finite sum", classes),
        numeric::Clause::C3);
  };
  if (shape_of(given) != tensor::Shape{classes})
    fail("has shape " + tensor::to_string(shape_of(given)));
  for (std::size_t c = 0; c < classes; ++c) {
    const T& w = given.data()[c];
    if (!numeric::is_finite(w) || !(numeric::to_double(w) >= 0))
      fail(fmt::format("has the element [{}] = {}", c, numeric::to_double(w)));
  }
  return given;
}

template <class T>
void check_no_overflow(const T& value, std::string_view what) {
  if (!numeric::is_finite(value))
    numeric::not_finite_failure("cross_entropy", "logits",
                                fmt::format("make {} {}", what, numeric::to_double(value)),
                                "logits so near each other that it is finite", numeric::Clause::C6);
}

/// Whether every element of t is finite.
template <class T>
bool all_finite(const Tensor<T>& t) {
  return ops::find_rejected_index(
             t.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
               const bool finite = ops::Elements<T>::all_finite(t.data() + begin, end - begin);
               return finite ? end : begin;
             }) == t.size();
}

/// Checks that the logits are finite, as clause C8 of cross_entropy requires.
template <class T>
void check_logits(std::string_view function, const Tensor<T>& logits) {
  if (!all_finite(logits)) tensor::check_finite(function, "logits", logits, numeric::Clause::C8);
}

/// Checks that the log-probabilities are finite, as clause C6 of cross_entropy requires.
template <class T>
void check_log_probabilities(const Tensor<T>& log_probabilities) {
  if (all_finite(log_probabilities)) return;
  for (std::size_t i = 0; i < log_probabilities.size(); ++i)
    check_no_overflow(log_probabilities.data()[i], "a log-probability");
}

/// The checked arguments of the cross-entropy of a batch, and constants that the loss and its
/// gradient share. Row k means the k-th of the rows that are not ignored.
template <class T>
struct LossBatch {
  LossBatch(std::string_view function, const tensor::Shape& shape,
            const std::vector<int>& all_targets, const Tensor<T>& class_weights,
            const model::LossOptions& options)
      : classes(shape[1]),
        weights(check_and_return_weights(function, class_weights, classes)),
        smoothing(options.label_smoothing) {
    set_rows(function, shape[0], all_targets);
    tensor::check_option(function, "label_smoothing", smoothing, smoothing >= 0 && smoothing <= 1,
                         "0 <= label_smoothing <= 1", numeric::Clause::C4);
    hard_share = T(1) - T(smoothing);
    soft_share = T(smoothing) / T(static_cast<double>(classes));
    sum_of_weights = ops::sum_elements(weights);
    if (!numeric::is_finite(sum_of_weights))
      numeric::contract_failure(function, "class_weights", "have a sum that overflows",
                                "a finite sum", numeric::Clause::C3);
    Tensor<T> target_weights = tensor::empty_tensor<T>({rows.size()});
    for (std::size_t k = 0; k < rows.size(); ++k) target_weights.data()[k] = target_weight(k);
    total_weight = ops::sum_elements(target_weights);
    if (!(numeric::to_double(total_weight) > 0) || !numeric::is_finite(total_weight))
      numeric::contract_failure(
          function, "class_weights",
          fmt::format("give the targets the sum {}", numeric::to_double(total_weight)),
          "a finite sum > 0", numeric::Clause::C5);
  }

  std::size_t row(std::size_t k) const { return rows[k]; }
  std::size_t target(std::size_t k) const { return targets[k]; }
  const T& target_weight(std::size_t k) const { return weights.data()[targets[k]]; }
  std::size_t grain() const { return 4096 / classes + 1; }

  /// Returns the loss of the k-th row that is not ignored, given its log-probabilities.
  T row_loss(std::size_t k, const T* logp) const {
    T loss = hard_share * (target_weight(k) * -logp[target(k)]);
    if (smoothing > 0)
      loss += soft_share * ops::contiguous_lane_sum<T>(classes, [&, w = weights.data()](auto at) {
                return at(w) * -at(logp);
              });
    return loss;
  }

  /// Computes the gradient of the logits of the k-th row that is not ignored, given its
  /// log-probabilities.
  void row_gradient(std::size_t k, const T* logp, T* grad) const {
    ops::Elements<T>::exp(logp, classes, grad);
    const T hard = hard_share * target_weight(k);
    const T whole = hard + soft_share * sum_of_weights;
    const auto move = [&](T& g, const T& share) { g = (g * whole - share) / total_weight; };
    const T* const weight = weights.data();
    const auto soft = [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) move(grad[c], soft_share * weight[c]);
    };
    const std::size_t t = target(k);
    soft(0, t);
    move(grad[t], hard + soft_share * weight[t]);
    soft(t + 1, classes);
  }

  std::size_t classes;
  Tensor<T> weights;
  double smoothing;
  std::vector<std::size_t> rows;     // indices of the rows that are not ignored
  std::vector<std::size_t> targets;  // targets of these rows
  T hard_share{};
  T soft_share{};
  T sum_of_weights{};
  T total_weight{};

 private:
  void set_rows(std::string_view function, std::size_t count, const std::vector<int>& all_targets) {
    if (all_targets.size() != count)
      numeric::contract_failure(function, "targets",
                                fmt::format("has {} elements", all_targets.size()),
                                fmt::format("{}, one a row", count), numeric::Clause::C2);
    for (std::size_t i = 0; i < count; ++i) {
      const int t = all_targets[i];
      if (t == kIgnored) continue;
      if (t < 0 || static_cast<std::size_t>(t) >= classes)
        numeric::contract_failure(
            function, "targets", fmt::format("has the element [{}] = {}", i, t),
            fmt::format("a class 0 .. {}, or {} where the row is ignored", classes - 1, kIgnored),
            numeric::Clause::C2);
      rows.push_back(i);
      targets.push_back(static_cast<std::size_t>(t));
    }
    if (rows.empty())
      numeric::contract_failure(function, "targets", "ignores every row",
                                "one at least that counts", numeric::Clause::C5);
  }
};

}  // namespace normproof::ref::train
