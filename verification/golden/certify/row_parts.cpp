#include "verification/golden/certify/row_parts.hpp"

#include <algorithm>
#include <string_view>

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

bool is_rowwise(const StoredTensor& tensor) {
  return std::ranges::find(kRowwiseInputs, tensor.name) != std::end(kRowwiseInputs);
}

bool is_rowwise_function(const NormLayer& layer) {
  return layer.state.empty() && std::ranges::all_of(layer.cells, [](const NormPartition& cells) {
           return cells.partition == Partition::row || cells.partition == Partition::row_group;
         });
}

bool is_rowwise_function(const Case& c) {
  if (c.sequence || corpus::is_scaled(c)) return false;
  const bool forward = find(c.inputs, "grad_y") == nullptr;
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&c.options))
    return forward && is_rowwise_function(ref::model::norm_layer(*layer));
  const ref::model::OperationInfo& info = ref::model::operation_info(c.options);
  return corpus::is_function(c) && info.is_computed_per_row() && (forward || !info.takes("gamma"));
}

StoredTensor select_rows(const StoredTensor& tensor, std::size_t begin, std::size_t end) {
  StoredTensor part = tensor;
  const std::size_t row = tensor.bytes.size() / tensor.shape[0];
  part.shape[0] = end - begin;
  part.bytes.assign(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(begin * row),
                    tensor.bytes.begin() + static_cast<std::ptrdiff_t>(end * row));
  return part;
}

}  // namespace

std::vector<Case> split_into_row_parts(const Case& c, std::size_t count) {
  if (count < 2 || !is_rowwise_function(c)) return {c};
  const std::size_t rows = find(c.inputs, "x")->shape[0];
  count = std::min(count, rows);
  std::vector<Case> parts;
  for (std::size_t part = 0; part < count; ++part) {
    Case& own = parts.emplace_back(c);
    for (StoredTensor& tensor : own.inputs)
      if (is_rowwise(tensor))
        tensor = select_rows(tensor, rows * part / count, rows * (part + 1) / count);
  }
  return parts;
}

std::vector<StoredTensor> join_parts(const std::vector<std::vector<StoredTensor>>& parts) {
  std::vector<StoredTensor> whole = parts.front();
  for (std::size_t part = 1; part < parts.size(); ++part)
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const StoredTensor& next = parts[part].at(i);
      whole[i].shape[0] += next.shape[0];
      whole[i].bytes.insert(whole[i].bytes.end(), next.bytes.begin(), next.bytes.end());
    }
  return whole;
}

}  // namespace normproof::verification::golden::certify
