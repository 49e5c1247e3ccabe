#include "verification/golden/certify/row_blocks.hpp"

#include <algorithm>
#include <utility>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::certify {
namespace {

using corpus::find;
using ref::model::NormLayer;
using ref::model::NormPartition;
using ref::model::Partition;

constexpr std::string_view kRowwiseInputs[] = {"x",      "gate",     "residual",
                                               "grad_y", "grad_sum", "valid"};

bool is_rowwise(std::string_view input) {
  return std::ranges::find(kRowwiseInputs, input) != std::end(kRowwiseInputs);
}

/// Whether no statistic or state of the layer depends on more than one index of the first axis.
bool has_independent_rows(const NormLayer& layer) {
  return layer.state.empty() && std::ranges::all_of(layer.cells, [](const NormPartition& cells) {
           return cells.partition != Partition::channel;
         });
}

/// Returns a case with the inputs of `c`, but of each input with rows only what `select` returns.
template <class Select>
Case with_selected_rows(const Case& c, Select select) {
  Case selected = copy_without_inputs(c);
  for (const StoredTensor& tensor : c.inputs)
    selected.inputs.push_back(is_rowwise(tensor.name) ? select(tensor) : tensor);
  return selected;
}

/// Returns a tensor with another first extent and no elements.
StoredTensor start_rows(const StoredTensor& tensor, std::size_t rows) {
  StoredTensor part{tensor.name, tensor.dtype, tensor.shape, {}};
  part.shape[0] = rows;
  return part;
}

}  // namespace

Case copy_without_inputs(const Case& c) {
  return {.tier = c.tier,
          .reason = c.reason,
          .why = c.why,
          .options = c.options,
          .mode = c.mode,
          .dtype = c.dtype,
          .sequence = c.sequence,
          .exact = c.exact,
          .inputs = {}};
}

bool has_independent_rows(const Case& c) {
  const StoredTensor* const x = find(c.inputs, "x");
  if (c.sequence || corpus::is_scaled(c) || x == nullptr || x->shape.empty()) return false;
  const ref::model::OperationInfo& info = ref::model::operation_info(c.options);
  // A vector has no axis of rows.
  if (info.independence != ref::model::Independence::element && x->shape.size() < 2) return false;
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&c.options))
    return has_independent_rows(ref::model::norm_layer(*layer));
  return corpus::is_function(c) && info.is_computed_per_row();
}

bool is_sum_over_rows(std::string_view output) {
  return output.starts_with("grad_") && !is_rowwise(output.substr(5));
}

Case select_rows(const Case& c, std::span<const std::size_t> rows) {
  return with_selected_rows(c, [&](const StoredTensor& tensor) {
    StoredTensor part = start_rows(tensor, rows.size());
    const std::size_t bytes = tensor.bytes.size() / tensor.shape[0];
    part.bytes.reserve(rows.size() * bytes);
    for (const std::size_t row : rows) {
      const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row * bytes);
      part.bytes.insert(part.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
    return part;
  });
}

RowBlocks::RowBlocks(const Case& c, std::size_t elements_per_block) : case_(c) {
  if (!has_independent_rows(c)) return;
  const StoredTensor& x = *find(c.inputs, "x");
  rows_ = x.shape[0];
  const std::size_t elements = x.bytes.size() / ref::io::item_size(x.dtype);
  count_ =
      std::clamp<std::size_t>(elements / elements_per_block, 1, std::max<std::size_t>(rows_, 1));
}

Case RowBlocks::block(std::size_t index) const {
  if (count_ == 1) return case_;
  const std::size_t begin = first_row(index), end = first_row(index + 1);
  return with_selected_rows(case_, [&](const StoredTensor& tensor) {
    StoredTensor part = start_rows(tensor, end - begin);
    const std::size_t bytes = tensor.bytes.size() / tensor.shape[0];
    part.bytes.assign(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(begin * bytes),
                      tensor.bytes.begin() + static_cast<std::ptrdiff_t>(end * bytes));
    return part;
  });
}

}  // namespace normproof::verification::golden::certify
