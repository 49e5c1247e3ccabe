#include "gpu/train/cross_entropy.hpp"

#include <fmt/format.h>

#include "gpu/ops/elementary.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/softmax.hpp"
#include "gpu/train/cross_entropy_kernels.hpp"
#include "ref/tensor/contract.hpp"

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

/// What the loss and its derivative share: checked arguments, and constants of the batch.
class LossBatch {
 public:
  LossBatch(std::string_view function, const DeviceTensor<double>& logits,
            const std::vector<int>& all_targets, const DeviceTensor<double>& class_weights,
            const ref::model::LossOptions& options)
      : classes_(logits.shape()[1]) {
    device::Device& device = logits.device();
    check_weights(function, class_weights);
    set_rows(function, device, logits.shape()[0], all_targets);
    const double s = options.label_smoothing;
    ref::tensor::check_option(function, "label_smoothing", s, s >= 0 && s <= 1,
                              "0 <= label_smoothing <= 1", Clause::C4);
    weights_ =
        class_weights.is_given() ? class_weights : device::full_tensor(device, {classes_}, 1);
    kernel = {rows_.span(),      targets_.span(), classes_,
              {weights_.span()}, 1.0 - s,         s / static_cast<double>(classes_)};
    sum_of_weights = ops::sum_elements(weights_);
    if (ops::first_not_finite(sum_of_weights) == 0)
      contract_failure(function, "class_weights", "have a sum that overflows", "a finite sum",
                       Clause::C3);
    DeviceTensor<double> of_targets(device, {size()});
    launch_elements(device, size(), TargetWeight{kernel, of_targets.span()});
    total_weight = ops::sum_elements(of_targets);
    if (ops::first_not_positive(total_weight) == 0)
      contract_failure(
          function, "class_weights",
          fmt::format("give the targets the sum {}", device::download_one(total_weight)),
          "a finite sum > 0", Clause::C5);
  }
  LossBatch(const LossBatch&) = delete;
  LossBatch& operator=(const LossBatch&) = delete;

  /// Rows that are not ignored.
  std::size_t size() const { return rows_.size(); }

  LossRows kernel{};
  DeviceTensor<double> sum_of_weights;  ///< [1]
  DeviceTensor<double> total_weight;    ///< [1]

 private:
  void check_weights(std::string_view function, const DeviceTensor<double>& given) const {
    if (!given.is_given()) return;
    const auto refuse = [&](const std::string& observation) {
      contract_failure(function, "class_weights", observation,
                       fmt::format("shape [{}], finite elements >= 0 and a finite sum", classes_),
                       Clause::C3);
    };
    if (given.shape() != Shape{classes_})
      refuse("has shape " + ref::tensor::to_string(given.shape()));
    if (const std::size_t c = ops::first_negative(given); c < classes_)
      refuse(fmt::format("has the element [{}] = {}", c, device::download(given).data()[c]));
  }

  void set_rows(std::string_view function, device::Device& device, std::size_t count,
                const std::vector<int>& all_targets) {
    if (all_targets.size() != count)
      contract_failure(function, "targets", fmt::format("has {} elements", all_targets.size()),
                       fmt::format("{}, one a row", count), Clause::C2);
    std::vector<std::size_t> rows, targets;
    rows.reserve(count);
    targets.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int t = all_targets[i];
      if (t == kIgnored) continue;
      if (t < 0 || static_cast<std::size_t>(t) >= classes_)
        contract_failure(
            function, "targets", fmt::format("has the element [{}] = {}", i, t),
            fmt::format("a class 0 .. {}, or {} where the row is ignored", classes_ - 1, kIgnored),
            Clause::C2);
      rows.push_back(i);
      targets.push_back(static_cast<std::size_t>(t));
    }
    if (rows.empty())
      contract_failure(function, "targets", "ignores every row", "one at least that counts",
                       Clause::C5);
    rows_ = device::upload(device, rows.data(), {rows.size()});
    targets_ = device::upload(device, targets.data(), {targets.size()});
  }

  std::size_t classes_;
  DeviceTensor<double> weights_;
  DeviceTensor<std::size_t> rows_, targets_;
};

void check_finite_logits(std::string_view function, std::string_view argument,
                         const DeviceTensor<double>& t, Clause clause) {
  if (ops::first_not_finite(t) < t.size())
    ref::tensor::check_finite(function, argument, device::download(t), clause);
}

/// Checks    that `values`, which the logits make, are finite
void check_overflow(const DeviceTensor<double>& values, std::string_view what) {
  const std::size_t at = ops::first_not_finite(values);
  if (at < values.size())
    contract_failure("cross_entropy", "logits",
                     fmt::format("make {} {}", what, device::download(values).data()[at]),
                     "logits so near each other that it is finite", Clause::C6);
}

}  // namespace

CrossEntropyForward cross_entropy(const DeviceTensor<double>& logits,
                                  const std::vector<int>& targets,
                                  const DeviceTensor<double>& class_weights,
                                  const ref::model::LossOptions& options) {
  constexpr auto kName = "cross_entropy";
  check_matrix_of_logits(kName, "logits", logits.shape(), Clause::C1);
  const LossBatch batch(kName, logits, targets, class_weights, options);
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
  const LossBatch batch(kName, log_probabilities, targets, class_weights, options);
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
