#include "verification/golden/gate/row_sample.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "verification/golden/certify/row_blocks.hpp"

namespace normproof::verification::golden::gate {

using corpus::find;

namespace {

/// Returns the tensors that have a row for each row of x, with some of their rows.
std::vector<StoredTensor> select_rows_of(const std::vector<StoredTensor>& tensors,
                                         std::size_t all_rows,
                                         const std::vector<std::size_t>& rows) {
  std::vector<StoredTensor> selected;
  for (const StoredTensor& tensor : tensors) {
    const std::string output = tensor.name.substr(0, tensor.name.find("_lo"));
    if (tensor.shape.empty() || tensor.shape[0] != all_rows || certify::is_sum_over_rows(output))
      continue;
    StoredTensor part{tensor.name, tensor.dtype, tensor.shape, {}};
    part.shape[0] = rows.size();
    const std::size_t bytes = tensor.bytes.size() / all_rows;
    part.bytes.reserve(rows.size() * bytes);
    for (const std::size_t row : rows) {
      const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row * bytes);
      part.bytes.insert(part.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
    selected.push_back(std::move(part));
  }
  return selected;
}

/// Returns the number of elements that failed in each row, in all outputs that have rows.
std::vector<std::size_t> count_failures(const CaseResult& result, std::size_t rows) {
  std::vector<std::size_t> failures(rows, 0);
  for (const TensorResult& tensor : result.tensors) {
    if (tensor.shape.empty() || tensor.shape[0] != rows || certify::is_sum_over_rows(tensor.name))
      continue;
    const std::size_t size = std::accumulate(tensor.shape.begin() + 1, tensor.shape.end(),
                                             std::size_t{1}, std::multiplies<>());
    for (const std::size_t i : tensor.failed) ++failures[i / std::max<std::size_t>(size, 1)];
  }
  return failures;
}

}  // namespace

std::optional<RowSample> sample_failing_rows(const StoredCase& stored,
                                             const std::vector<StoredTensor>& answer,
                                             const CaseResult& result) {
  const Case& c = stored.description.c;
  const StoredTensor* const x = find(c.inputs, "x");
  if (!certify::has_independent_rows(c)) return std::nullopt;
  const std::size_t all_rows = x->shape[0];
  const std::size_t elements = x->bytes.size() / ref::io::item_size(x->dtype);
  if (all_rows < 2 || elements <= kMaxSampledElements) return std::nullopt;
  const std::vector<std::size_t> failures = count_failures(result, all_rows);
  std::vector<std::size_t> rows(all_rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [&](std::size_t row) { return failures[row]; });
  if (failures[rows.front()] == 0) return std::nullopt;
  rows.resize(std::max<std::size_t>(1, kMaxSampledElements * all_rows / elements));
  std::ranges::sort(rows);
  RowSample sample;
  sample.stored.description = certify::copy_without_inputs(stored.description);
  sample.stored.description.c = certify::select_rows(c, rows);
  sample.stored.expected = select_rows_of(stored.expected, all_rows, rows);
  sample.answer = select_rows_of(answer, all_rows, rows);
  return sample;
}

}  // namespace normproof::verification::golden::gate
