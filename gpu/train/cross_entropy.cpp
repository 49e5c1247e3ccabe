#include "gpu/train/cross_entropy.hpp"

#include "gpu/ops/elementary.hpp"
#include "gpu/ops/softmax.hpp"
#include "gpu/train/loss_batch.hpp"

namespace normproof::gpu::train {
namespace {

using device::launch_blocks;
using device::launch_elements;
using device::Shape;
using ref::numeric::Clause;
using ref::numeric::contract_failure;

void check_matrix_of_logits(std::string_view function, std::string_view argument,
                            const Shape& shape, Clause clause) {
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
    contract_failure(function, argument, "has shape " + ref::tensor::to_string(shape),
                     "[N, C] with extents at least 1", clause);
}

void check_finite_logits(std::string_view function, std::string_view argument,
                         const DeviceTensor<double>& t, Clause clause) {
  if (ops::find_first_not_finite(t) < t.size())
    ref::tensor::check_finite(function, argument, device::download(t), clause);
}

}  // namespace

CrossEntropyForward cross_entropy(const DeviceTensor<double>& logits,
                                  const std::vector<int>& targets,
                                  const DeviceTensor<double>& class_weights,
                                  const ref::model::LossOptions& options) {
  constexpr auto kName = "cross_entropy";
  check_matrix_of_logits(kName, "logits", logits.shape(), Clause::C1);
  const LossBatch batch(kName, logits.device(), logits.shape(), targets, class_weights, options);
  check_finite_logits(kName, "logits", logits, Clause::C8);
  device::Device& device = logits.device();
  CrossEntropyForward result{DeviceTensor<double>(device, {1}), ops::log_softmax(logits)};
  const DeviceTensor<double>& logp = result.log_probabilities;
  DeviceTensor<double> losses(device, {batch.size()});
  launch_blocks(device, batch.size(),
                ops::WarpRows<RowLoss>{
                    {batch.kernel, options.label_smoothing > 0, logp.span(), losses.span()}});
  const DeviceTensor<double> sum = ops::sum_elements(losses);
  launch_elements(device, 1, MeanLoss{sum.span(), batch.total_weight.span(), result.loss.span()});
  check_overflow(logp, "a log-probability");
  check_overflow(result.loss, "the loss");
  return result;
}

DeviceTensor<double> cross_entropy_backward(const DeviceTensor<double>& log_probabilities,
                                            const std::vector<int>& targets,
                                            const DeviceTensor<double>& class_weights,
                                            const ref::model::LossOptions& options) {
  constexpr auto kName = "cross_entropy_backward";
  check_matrix_of_logits(kName, "log_probabilities", log_probabilities.shape(), Clause::C7);
  const LossBatch batch(kName, log_probabilities.device(), log_probabilities.shape(), targets,
                        class_weights, options);
  check_finite_logits(kName, "log_probabilities", log_probabilities, Clause::C7);
  device::Device& device = log_probabilities.device();
  const DeviceTensor<double> probabilities = ops::exp(log_probabilities);
  DeviceTensor<double> grad_logits = device::full_tensor(device, log_probabilities.shape(), 0);
  launch_elements(
      device, batch.size() * log_probabilities.shape()[1],
      LossGradientElement{batch.kernel, batch.sum_of_weights.span(), batch.total_weight.span(),
                          probabilities.span(), grad_logits.span()});
  return grad_logits;
}

}  // namespace normproof::gpu::train
