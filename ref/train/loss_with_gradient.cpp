#include "ref/train/loss_with_gradient.hpp"

#include <utility>

#include "ref/nn/score_cap.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/train/loss_batch.hpp"

namespace normproof::ref::train {
namespace {

using model::LossReduction;
using numeric::Clause;

constexpr auto kName = "cross_entropy";

/// The losses of the rows that are not ignored, and those of the whole batch.
template <class T>
class LossOfRows {
 public:
  LossOfRows(LossBatch<T> batch, const Tensor<T>& x, const model::CrossEntropyOptions& options)
      : batch_(std::move(batch)),
        options_(options),
        log_probabilities_(ops::log_softmax(x)),
        count_(static_cast<double>(batch_.rows.size())),
        losses_(tensor::empty_tensor<T>({batch_.rows.size()})) {
    check_log_probabilities(log_probabilities_);
    if (options.reduction != LossReduction::mean) batch_.total_weight = T(1);
    if (options.z_loss > 0) log_sum_exp_ = ops::log_sum_exp(x);
    for_each_row(
        [&](std::size_t k) { losses_.data()[k] = batch_.row_loss(k, log_probabilities_of(k)); });
  }

  Tensor<T> loss() const {
    const Tensor<T> squares = z_losses();
    if (options_.reduction == LossReduction::none) return losses_of_all_rows(squares);
    T loss = ops::sum_elements(losses_) / batch_.total_weight;
    if (has_z_loss()) {
      const T sum = ops::sum_elements(squares);
      loss += options_.reduction == LossReduction::mean ? T(sum / count_) : sum;
    }
    check_no_overflow(loss, "the loss");
    return tensor::full_tensor<T>({1}, loss);
  }

  Tensor<T> grad_logits() const {
    Tensor<T> grad = tensor::full_tensor<T>(shape_of(log_probabilities_), T(0));
    for_each_row([&](std::size_t k) {
      T* const own = grad.data() + batch_.row(k) * batch_.classes;
      batch_.row_gradient(k, log_probabilities_of(k), own);
      if (!has_z_loss()) return;
      T slope = T(2) * T(options_.z_loss) * log_sum_exp(k);
      if (options_.reduction == LossReduction::mean) slope = slope / count_;
      Tensor<T> probabilities = tensor::empty_tensor<T>({batch_.classes});
      ops::Elements<T>::exp(log_probabilities_of(k), batch_.classes, probabilities.data());
      for (std::size_t c = 0; c < batch_.classes; ++c) own[c] += probabilities.data()[c] * slope;
    });
    return grad;
  }

 private:
  /// Calls f for the number of each row that is not ignored.
  template <class F>
  void for_each_row(F f) const {
    numeric::parallel_for(batch_.rows.size(), batch_.grain(),
                          [&](std::size_t begin, std::size_t end) {
                            for (std::size_t k = begin; k < end; ++k) f(k);
                          });
  }

  bool has_z_loss() const { return options_.z_loss > 0; }
  const T* log_probabilities_of(std::size_t k) const {
    return log_probabilities_.data() + batch_.row(k) * batch_.classes;
  }
  const T& log_sum_exp(std::size_t k) const { return log_sum_exp_.data()[batch_.row(k)]; }

  Tensor<T> z_losses() const {
    if (!has_z_loss()) return {};
    Tensor<T> squares = tensor::empty_tensor<T>({losses_.size()});
    for (std::size_t k = 0; k < squares.size(); ++k)
      squares.data()[k] = log_sum_exp(k) * log_sum_exp(k) * T(options_.z_loss);
    return squares;
  }

  Tensor<T> losses_of_all_rows(const Tensor<T>& squares) const {
    Tensor<T> all = tensor::full_tensor<T>({log_probabilities_.shape(0)}, T(0));
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      T& own = all.data()[batch_.row(k)];
      own = losses_.data()[k];
      if (has_z_loss()) own += squares.data()[k];
      check_no_overflow(own, "a loss");
    }
    return all;
  }

  LossBatch<T> batch_;
  const model::CrossEntropyOptions& options_;
  Tensor<T> log_probabilities_;
  T count_;
  Tensor<T> losses_, log_sum_exp_ = {};
};

}  // namespace

template <numeric::Real T>
LossWithGradient<T> cross_entropy_with_gradient(const Tensor<T>& logits,
                                                const std::vector<int>& targets,
                                                const Tensor<T>& class_weights,
                                                const model::CrossEntropyOptions& options) {
  check_matrix_of_logits(kName, "logits", shape_of(logits), Clause::C1);
  tensor::check_option(kName, "z_loss", options.z_loss, options.z_loss >= 0, "z_loss >= 0",
                       Clause::C9);
  if (options.soft_cap)
    tensor::check_option(kName, "soft_cap", *options.soft_cap, *options.soft_cap > 0,
                         "soft_cap > 0", Clause::C10);
  LossBatch<T> batch(kName, shape_of(logits), targets, class_weights, options.loss);
  check_logits(kName, logits);
  if (!options.soft_cap) {
    const LossOfRows<T> rows(std::move(batch), logits, options);
    return {rows.loss(), rows.grad_logits()};
  }
  Tensor<T> capped = logits;
  const Tensor<T> tanh = nn::cap_scores(capped, T(*options.soft_cap));
  const LossOfRows<T> rows(std::move(batch), capped, options);
  Tensor<T> grad = rows.grad_logits();
  nn::cap_scores_backward(tanh, grad);
  return {rows.loss(), std::move(grad)};
}

#define NORMPROOF_INSTANTIATE(T)                                   \
  template LossWithGradient<T> cross_entropy_with_gradient(        \
      const Tensor<T>&, const std::vector<int>&, const Tensor<T>&, \
      const model::CrossEntropyOptions&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
