#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// Called between two pieces of work with the number of finished pieces and of all pieces. It stops
/// the work by throwing.
using Progress = std::function<void(std::size_t done, std::size_t of)>;

/// Divides a case into blocks of consecutive rows. A row is one index of the first axis of x. A
/// case can be divided if its operation computes each row independently, such as LayerNorm, and if
/// every other output is a sum over the rows, such as the gradients of gamma and beta. Each block
/// computes the sum over its rows.
///
/// The blocks depend on the shapes of the case alone. If the case cannot be divided, it is the only
/// block.
class RowBlocks {
 public:
  /// The number of elements of x in a block, to the next whole row. It is a compromise: many blocks
  /// keep every processor busy, and few blocks have few sums over rows to be added.
  static constexpr std::size_t kElements = 16384;

  /// `c` must outlive the object.
  explicit RowBlocks(const Case& c, std::size_t elements_per_block = kElements);

  std::size_t count() const { return count_; }
  /// Returns the number of rows of the case; 0 if it cannot be divided.
  std::size_t rows() const { return rows_; }
  /// Returns the first row of a block. For count(), returns the number of rows.
  std::size_t first_row(std::size_t block) const { return rows_ * block / count_; }
  Case block(std::size_t index) const;

 private:
  const Case& case_;
  std::size_t rows_ = 0;
  std::size_t count_ = 1;
};

/// Returns a copy of a case without its tensors, which may be large.
Case copy_without_inputs(const Case& c);

/// Whether the rows of the case are independent, so that it can be divided or rows can be drawn.
bool has_independent_rows(const Case& c);

/// Whether an output of a case with independent rows is a sum over the rows.
bool is_sum_over_rows(std::string_view output);

/// Returns a case that consists of some rows of a case with independent rows.
/// Requires  each row is less than the first extent of x
Case select_rows(const Case& c, std::span<const std::size_t> rows);

/// Calls compute(i) for each block and append(i, result) with each result, in ascending order of
/// the blocks and on the caller's thread. `threads` blocks are computed at a time, so few results
/// exist at a time.
/// Throws    the exceptions of `progress`, which is called on the caller's thread, and of the
///           functions
template <class Compute, class Append>
void for_each_block(const RowBlocks& blocks, int threads, const Progress& progress, Compute compute,
                    Append append) {
  const auto parallel = static_cast<std::size_t>(std::max(threads, 1));
  for (std::size_t begin = 0; begin < blocks.count(); begin += parallel) {
    if (progress) progress(begin, blocks.count());
    std::vector<std::invoke_result_t<Compute, std::size_t>> results(
        std::min(parallel, blocks.count() - begin));
    for_each_in_parallel(results.size(), threads,
                         [&](std::size_t i) { results[i] = compute(begin + i); });
    for (std::size_t i = 0; i < results.size(); ++i) append(begin + i, std::move(results[i]));
  }
  if (progress) progress(blocks.count(), blocks.count());
}

/// Adds the sums over the rows of a block to those of the blocks before it, or stores them if there
/// is no block before it.
template <class T>
void add_sums(ref::tensor::NamedTensors<T>& all, ref::tensor::NamedTensors<T>&& part) {
  if (all.empty()) {
    all = std::move(part);
    return;
  }
  for (auto& [name, values] : all) {
    const T* const terms = part.at(name).data();
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] += terms[i];
  }
}

}  // namespace normproof::verification::golden::certify
