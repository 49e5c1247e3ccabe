#include "ref/train/cross_entropy.hpp"

#include "ref/numeric/parallel.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/train/loss_batch.hpp"

namespace normproof::ref::train {

using numeric::Clause;

template <numeric::Real T>
CrossEntropyForward<T> cross_entropy(const Tensor<T>& logits, const std::vector<int>& targets,
                                     const Tensor<T>& class_weights,
                                     const model::LossOptions& options) {
  constexpr auto kName = "cross_entropy";
  check_matrix_of_logits(kName, "logits", shape_of(logits), Clause::C1);
  const LossBatch<T> batch(kName, shape_of(logits), targets, class_weights, options);
  check_logits(kName, logits);
  CrossEntropyForward<T> result{T(0), ops::log_softmax(logits)};
  Tensor<T> losses = tensor::empty_tensor<T>({batch.rows.size()});
  numeric::parallel_for(losses.size(), batch.grain(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const T* logp = result.log_probabilities.data() + batch.row(k) * batch.classes;
      losses.data()[k] = batch.row_loss(k, logp);
    }
  });
  result.loss = ops::sum_elements(losses) / batch.total_weight;
  check_log_probabilities(result.log_probabilities);
  check_no_overflow(result.loss, "the loss");
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
      batch.row_gradient(k, log_probabilities.data() + first, grad_logits.data() + first);
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
