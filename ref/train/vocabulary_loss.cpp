#include "ref/train/vocabulary_loss.hpp"

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/lane_sum.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/train/loss_batch.hpp"

namespace normproof::ref::train {
namespace {

using numeric::Clause;

constexpr auto kVocabularyLoss = "vocabulary_loss";
constexpr std::size_t kProductBlockRows = 256;

/// A block of rows of x that are computed together. Counted rows are the rows that are not ignored.
template <class T>
struct RowBlock {
  std::size_t begin;                       // index of the block's first row
  std::size_t first_counted, counted_end;  // counted rows: indices in LossBatch
  const Tensor<T>& x;                      // [rows,D]
  const Tensor<T>& log_probabilities;      // [rows,V]
};

std::size_t rows_per_block(std::size_t requested, std::size_t bytes_per_row) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  if (requested % kProductBlockRows != 0)
    numeric::contract_failure(kVocabularyLoss, "block_rows", fmt::format("is {}", requested),
                              "a multiple of 256", Clause::C9);
  if (requested > 0) return requested;
  return std::max<std::size_t>(1, kBytes / bytes_per_row / kProductBlockRows) * kProductBlockRows;
}

template <class T>
Tensor<T> rows_from(const Tensor<T>& x, std::size_t begin, std::size_t count) {
  const std::size_t width = x.shape(1);
  Tensor<T> rows = tensor::empty_tensor<T>({count, width});
  std::copy_n(x.data() + begin * width, rows.size(), rows.data());
  return rows;
}

/// Calls f(k) for each counted row k of the block. k is its index in LossBatch.
template <class T, class F>
void for_each_counted_row(const LossBatch<T>& batch, const RowBlock<T>& block, F f) {
  const std::size_t count = block.counted_end - block.first_counted;
  numeric::parallel_for(count, batch.grain(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(block.first_counted + i);
  });
}

/// Returns the loss. The logits are computed block by block; after computing the log-probabilities
/// of a block, it calls see(batch, block).
template <class T, class See>
T compute_loss_by_blocks(const Tensor<T>& x, const VocabularyHead<T>& head,
                         const std::vector<int>& targets, const model::LossOptions& options,
                         std::size_t block_rows, See see) {
  if (x.dimension() != 2 || head.weight.dimension() != 2)
    numeric::contract_failure(kVocabularyLoss, "x", "has shape " + tensor::to_string(shape_of(x)),
                              "[N, D], and weight [V, D]", Clause::C1);
  const std::size_t n = x.shape(0), vocabulary = head.weight.shape(0);
  const LossBatch<T> batch(kVocabularyLoss, {n, vocabulary}, targets, {}, options);
  const std::size_t each = rows_per_block(block_rows, vocabulary * sizeof(T));
  Tensor<T> losses = tensor::empty_tensor<T>({batch.rows.size()});
  for (std::size_t begin = 0, k = 0; begin < n; begin += each) {
    const Tensor<T> own = rows_from(x, begin, std::min(each, n - begin));
    const Tensor<T> logits = nn::linear(own, head.weight, head.bias);
    check_logits(kVocabularyLoss, logits);
    const Tensor<T> log_probabilities = ops::log_softmax(logits);
    check_log_probabilities(log_probabilities);
    const auto end = static_cast<std::size_t>(std::ranges::lower_bound(batch.rows, begin + each) -
                                              batch.rows.begin());
    const RowBlock<T> block{begin, k, end, own, log_probabilities};
    for_each_counted_row(batch, block, [&](std::size_t i) {
      losses.data()[i] =
          batch.row_loss(i, log_probabilities.data() + (batch.row(i) - begin) * vocabulary);
    });
    see(batch, block);
    k = end;
  }
  T loss = ops::sum_elements(losses) / batch.total_weight;
  check_no_overflow(loss, "the loss");
  return loss;
}

/// Sums the columns of a matrix in the order of rule R2 of docs/specification/determinism.md. The
/// rows are added a few at a time.
template <class T>
class ColumnLanes {
 public:
  explicit ColumnLanes(std::size_t width)
      : width_(width), lanes_(tensor::full_tensor<T>({ops::kLanes, width}, T(0))) {}

  void add(const Tensor<T>& rows) {
    const std::size_t count = rows.shape(0);
    numeric::parallel_for(width_, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = 0; r < count; ++r) {
        T* const lane = lanes_.data() + (seen_ + r) % ops::kLanes * width_;
        for (std::size_t c = begin; c < end; ++c) lane[c] += rows.data()[r * width_ + c];
      }
    });
    seen_ += count;
  }

  Tensor<T> sums() {
    ops::add_lanes(lanes_.data(), std::min(seen_, ops::kLanes), width_, 0, width_);
    Tensor<T> result = tensor::empty_tensor<T>({width_});
    std::copy_n(lanes_.data(), width_, result.data());
    return result;
  }

 private:
  std::size_t width_;
  std::size_t seen_ = 0;  // number of rows added
  Tensor<T> lanes_;
};

template <class T>
auto view_as_matrix(T* data, std::size_t rows, std::size_t columns) {
  return ops::matrix(data, rows, columns);
}

}  // namespace

template <numeric::Real T>
VocabularyLoss<T> vocabulary_loss_gradient(const Tensor<T>& x, const VocabularyHead<T>& head,
                                           const std::vector<int>& targets,
                                           const model::LossOptions& options,
                                           std::size_t block_rows) {
  VocabularyLoss<T> result{T(0),
                           tensor::empty_tensor<T>(shape_of(x)),
                           {tensor::empty_tensor<T>(shape_of(head.weight)), {}}};
  ColumnLanes<T> bias(head.weight.shape(0));
  result.loss = compute_loss_by_blocks(
      x, head, targets, options, block_rows,
      [&](const LossBatch<T>& batch, const RowBlock<T>& block) {
        const std::size_t rows = block.x.shape(0), width = x.shape(1), v = batch.classes;
        Tensor<T> grad = tensor::full_tensor<T>({rows, v}, T(0));
        for_each_counted_row(batch, block, [&](std::size_t k) {
          const std::size_t first = (batch.row(k) - block.begin) * v;
          batch.row_gradient(k, block.log_probabilities.data() + first, grad.data() + first);
        });
        const T* const given = grad.data();
        const auto grad_logits = view_as_matrix(given, rows, v);
        ops::matmul_into<T>(view_as_matrix(result.grad_x.data() + block.begin * width, rows, width),
                            grad_logits, view_as_matrix(head.weight.data(), v, width));
        const auto grad_weight = view_as_matrix(result.head.weight.data(), v, width);
        const auto taken = view_as_matrix(block.x.data(), rows, width);
        if (block.begin == 0) {
          ops::matmul_into<T>(grad_weight, ops::transposed(grad_logits), taken);
        } else {
          ops::matmul_add<T>(grad_weight, ops::transposed(grad_logits), taken);
        }
        bias.add(grad);
      });
  result.head.bias = bias.sums();
  return result;
}

template <numeric::Real T>
T vocabulary_loss(const Tensor<T>& x, const VocabularyHead<T>& head,
                  const std::vector<int>& targets, const model::LossOptions& options,
                  std::size_t block_rows) {
  return compute_loss_by_blocks(x, head, targets, options, block_rows,
                                [](const LossBatch<T>&, const RowBlock<T>&) {});
}

#define NORMPROOF_INSTANTIATE(T)                                                                  \
  template VocabularyLoss<T> vocabulary_loss_gradient(const Tensor<T>&, const VocabularyHead<T>&, \
                                                      const std::vector<int>&,                    \
                                                      const model::LossOptions&, std::size_t);    \
  template T vocabulary_loss(const Tensor<T>&, const VocabularyHead<T>&, const std::vector<int>&, \
                             const model::LossOptions&, std::size_t);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
