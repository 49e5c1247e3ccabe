#include "gpu/train/vocabulary_loss.hpp"

#include <algorithm>
#include <utility>

#include "gpu/ops/elementary.hpp"
#include "gpu/ops/matmul_kernels.hpp"
#include "gpu/ops/softmax.hpp"
#include "gpu/train/loss_batch.hpp"
#include "gpu/train/vocabulary_kernels.hpp"

namespace normproof::gpu::train {
namespace {

constexpr auto kVocabularyLoss = "vocabulary_loss";
constexpr std::size_t kBlockRowMultiple = 256;

/// A block of rows of x that are computed together, and a list of the rows in the block that the
/// loss does not ignore.
struct LossBlock {
  std::size_t begin;  // row
  LossRows counted;
  const DeviceTensor<double>& x;                  // [rows,D]
  const DeviceTensor<double>& log_probabilities;  // [rows,V]
};

std::size_t rows_per_block(std::size_t asked, std::size_t bytes_of_row) {
  constexpr std::size_t kMaxBlockBytes = std::size_t{16} << 20;
  if (asked % kBlockRowMultiple != 0)
    ref::numeric::contract_failure(kVocabularyLoss, "block_rows", fmt::format("is {}", asked),
                                   "a multiple of 256", ref::numeric::Clause::C9);
  if (asked > 0) return asked;
  return std::max<std::size_t>(1, kMaxBlockBytes / bytes_of_row / kBlockRowMultiple) *
         kBlockRowMultiple;
}

DeviceTensor<double> slice_rows(const DeviceTensor<double>& x, std::size_t begin,
                                std::size_t count) {
  if (count == x.shape()[0]) return x;
  const std::size_t width = x.shape()[1];
  DeviceTensor<double> rows(x.device(), {count, width});
  device::launch_elements(x.device(), rows.size(), CopyRange{x.span(), begin * width, rows.span()});
  return rows;
}

/// Computes the loss, one block of rows after the other, and returns it. Calls see(batch, block)
/// for each block.
template <class See>
DeviceTensor<double> compute_loss_by_blocks(const DeviceTensor<double>& x, const nn::Linear& head,
                                            const std::vector<int>& targets,
                                            const ref::model::LossOptions& options,
                                            std::size_t block_rows, const nn::Products& products,
                                            const See& process_block) {
  if (x.shape().size() != 2 || head.weight.shape().size() != 2)
    ref::numeric::contract_failure(kVocabularyLoss, "x",
                                   "has shape " + ref::tensor::to_string(x.shape()),
                                   "[N, D], and weight [V, D]", ref::numeric::Clause::C1);
  device::Device& device = x.device();
  const std::size_t n = x.shape()[0], vocabulary = head.weight.shape()[0];
  const LossBatch batch(kVocabularyLoss, device, {n, vocabulary}, targets, {}, options);
  const std::size_t each = rows_per_block(block_rows, vocabulary * sizeof(double));
  DeviceTensor<double> losses(device, {batch.size()});
  for (std::size_t begin = 0, k = 0; begin < n; begin += each) {
    const DeviceTensor<double> own = slice_rows(x, begin, std::min(each, n - begin));
    const DeviceTensor<double> logits = nn::linear(own, head, products);
    if (ops::find_first_not_finite(logits) < logits.size())
      ref::tensor::check_finite(kVocabularyLoss, "logits", device::download(logits),
                                ref::numeric::Clause::C8);
    const DeviceTensor<double> log_probabilities = ops::log_softmax(logits);
    check_overflow(log_probabilities, "a log-probability");
    const std::size_t end = batch.count_unignored_rows_before(begin + each);
    const LossBlock block{begin, batch.part(begin, k, end), own, log_probabilities};
    if (end > k)
      device::launch_blocks(device, end - k,
                            ops::WarpRows<RowLoss>{{block.counted,
                                                    options.label_smoothing > 0,
                                                    log_probabilities.span(),
                                                    {losses.span().data + k, end - k}}});
    process_block(batch, block);
    k = end;
  }
  const DeviceTensor<double> sum = ops::sum_elements(losses);
  DeviceTensor<double> loss(device, {1});
  device::launch_elements(device, 1, MeanLoss{sum.span(), batch.total_weight.span(), loss.span()});
  check_overflow(loss, "the loss");
  return loss;
}

/// Returns the gradient of the logits of a block. Ignored rows have +0.
DeviceTensor<double> logits_gradient(const LossBatch& batch, const LossBlock& block) {
  const DeviceTensor<double>& logp = block.log_probabilities;
  device::Device& device = logp.device();
  const std::size_t counted = block.counted.rows.size, rows = logp.shape()[0];
  DeviceTensor<double> grad(device, logp.shape());
  if (counted < rows)
    device::launch_elements(device, grad.size(),
                            ops::ClearMatrices{ops::matrix(grad.span(), rows, logp.shape()[1])});
  if (counted == 0) return grad;
  const DeviceTensor<double> probabilities = ops::exp(logp);
  device::launch_elements(
      device, counted * logp.shape()[1],
      LossGradientElement{block.counted, batch.sum_of_weights.span(), batch.total_weight.span(),
                          probabilities.span(), grad.span()});
  return grad;
}

}  // namespace

VocabularyLoss vocabulary_loss_gradient(const DeviceTensor<double>& x, const nn::Linear& head,
                                        const std::vector<int>& targets,
                                        const ref::model::LossOptions& options,
                                        std::size_t block_rows, const nn::Products& products) {
  device::Device& device = x.device();
  VocabularyLoss result{{},
                        DeviceTensor<double>(device, x.shape()),
                        {DeviceTensor<double>(device, head.weight.shape()), {}}};
  DeviceTensor<double> lanes;
  const auto process_block = [&](const LossBatch& batch, const LossBlock& block) {
    const DeviceTensor<double> grad = logits_gradient(batch, block);
    const std::size_t rows = grad.shape()[0], v = grad.shape()[1], width = x.shape()[1];
    const auto grad_logits = ops::matrix(grad.span(), rows, v);
    ops::Matrices<double> grad_x = ops::matrix(result.grad_x.span(), rows, width);
    grad_x.first = block.begin * width;
    ops::matmul_into(device, grad_x, grad_logits, ops::matrix(head.weight.span(), v, width), false,
                     products);
    ops::matmul_into(device, ops::matrix(result.head.weight.span(), v, width),
                     ops::transposed(grad_logits), ops::matrix(block.x.span(), rows, width),
                     block.begin > 0, products);
    if (block.begin == 0)
      lanes = device::full_tensor(device, {static_cast<std::size_t>(ops::kLanes), v}, 0);
    device::launch_elements(device, lanes.size(),
                            ContinueColumnLanes{grad.span(), v, lanes.span()});
  };
  result.loss =
      compute_loss_by_blocks(x, head, targets, options, block_rows, products, process_block);
  const std::size_t vocabulary = head.weight.shape()[0];
  result.head.bias = DeviceTensor<double>(device, {vocabulary});
  device::launch_elements(
      device, vocabulary,
      ops::ColumnTree{std::as_const(lanes).span(), vocabulary, result.head.bias.span()});
  return result;
}

DeviceTensor<double> vocabulary_loss(const DeviceTensor<double>& x, const nn::Linear& head,
                                     const std::vector<int>& targets,
                                     const ref::model::LossOptions& options, std::size_t block_rows,
                                     const nn::Products& products) {
  return compute_loss_by_blocks(x, head, targets, options, block_rows, products,
                                [](const LossBatch&, const LossBlock&) {});
}

}  // namespace normproof::gpu::train
