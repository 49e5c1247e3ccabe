#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/plain_blocks.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/plain/plain_slices.hpp"

/// Reading and writing rows, with the errors that can be injected there.
namespace normproof::verification::golden::plain {

using corpus::storage_format;
using ref::io::DType;

/// Injects errors in reading rows: the first row for all, a duplicated last row, or rows in reverse
/// order. A kernel that reads a broadcast tensor by a stride of 0 takes the first row for all. This
/// mistake stands first, because it is the more common one of the two that agree on two rows.
template <class T>
void read_rows(const char* site, const PlainShape& shape, std::vector<T>& values, Sites& sites) {
  const auto width = static_cast<std::ptrdiff_t>(shape.d_model);
  const std::size_t rows = shape.rows();
  if (values.size() != shape.size() || rows < 2) return;
  const auto row = [&](std::size_t i) {
    return values.begin() + static_cast<std::ptrdiff_t>(i) * width;
  };
  switch (sites.any(site, {MutationOperator::first_row, MutationOperator::previous_row,
                           MutationOperator::reversed})) {
    case MutationOperator::first_row:
      for (std::size_t i = 1; i < rows; ++i) std::copy_n(row(0), width, row(i));
      break;
    case MutationOperator::previous_row:
      std::copy_n(row(rows - 2), width, row(rows - 1));
      break;
    case MutationOperator::reversed:
      for (std::size_t i = 0; i < rows / 2; ++i)
        std::swap_ranges(row(i), row(i + 1), row(rows - 1 - i));
      break;
    default:
      break;
  }
}

/// Exchanges the first `width` elements of each group of `extent` elements with the next ones, and
/// so on for each pair of tiles. The elements after the last whole pair keep their places.
/// Requires  `extent` divides the number of values
template <class T>
void exchange_tiles(std::vector<T>& values, std::size_t extent, std::size_t width) {
  const auto step = static_cast<std::ptrdiff_t>(width);
  for (std::size_t first = 0; first < values.size(); first += extent)
    for (std::size_t i = 0; i + 2 * width <= extent; i += 2 * width) {
      const auto tile = values.begin() + static_cast<std::ptrdiff_t>(first + i);
      std::swap_ranges(tile, tile + step, tile + step);
    }
}

/// Replaces the columns from `first` on by 0.
/// Requires  the values are whole rows, or one value for each column
template <class T>
void clear_columns_from(std::size_t first, const PlainShape& shape, std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % shape.d_model >= first) values[i] = T(0);
}

/// Injects an error in writing the output `name`: some elements are not written, NaN is written as
/// 0, or rows and features are exchanged.
template <class T>
void write_rows(const std::string& name, const PlainShape& shape, std::vector<T>& values,
                Sites& sites, bool may_hold_nan = true) {
  if (values.empty()) return;
  // An element of relu is 0 with the probability 1/2, and three of them are all 0 with 1/8. Then
  // nothing is missing if they are not written. In the quick tier, three elements of relu are all
  // that follows a block of 256 columns (three rows of 257).
  constexpr std::size_t kFew = 3;
  const bool rows = values.size() == shape.size() && shape.rows() > 1 && shape.d_model > 1;
  mutations::OfferedOperators offered = {MutationOperator::unwritten_last};
  if (may_hold_nan) offered.push_back(MutationOperator::clean_nan);
  if (rows) offered.push_back(MutationOperator::unwritten_row);
  if (rows) offered.push_back(MutationOperator::transposed);
  if (rows)
    for (const NumberedOperator& block : kLastBlocks)
      if (block.number < shape.rows()) offered.push_back(block.op);
  // The tiles of a single row or column are not offered: its gradients or statistics may be equal.
  if (rows) {
    for (const NumberedOperator& tile : kExchangedColumns)
      if (2 * tile.number <= shape.d_model) offered.push_back(tile.op);
    for (const NumberedOperator& tile : kExchangedRows)
      if (2 * tile.number <= shape.rows()) offered.push_back(tile.op);
  }
  if (rows)
    for (const NumberedOperator& block : kFirstBlocks)
      if (block.number < shape.d_model && (shape.d_model - block.number) * shape.rows() > kFew)
        offered.push_back(block.op);
  const auto clear_last_rows = [&](std::size_t count) {
    std::fill(values.end() - static_cast<std::ptrdiff_t>(count * shape.d_model), values.end(),
              T(0));
  };
  const MutationOperator op = sites.any(("writing " + name).c_str(), offered.span());
  if (const auto block = number_of_operator(kLastBlocks, op))
    clear_last_rows((shape.rows() - 1) % *block + 1);
  if (const auto columns = number_of_operator(kFirstBlocks, op))
    clear_columns_from(*columns, shape, values);
  if (const auto width = number_of_operator(kExchangedColumns, op))
    exchange_tiles(values, shape.d_model, *width);
  if (const auto width = number_of_operator(kExchangedRows, op))
    exchange_tiles(values, values.size(), *width * shape.d_model);
  switch (op) {
    case MutationOperator::unwritten_last:
      values.back() = 0;
      break;
    case MutationOperator::unwritten_row:
      clear_last_rows(1);
      break;
    case MutationOperator::clean_nan:
      for (T& v : values)
        if (v != v) v = 0;  // NOLINT(misc-redundant-expression): NaN, of any scalar
      break;
    case MutationOperator::transposed: {
      const std::vector<T> old = values;
      for (std::size_t i = 0; i < old.size(); ++i)
        values[i % shape.d_model * shape.rows() + i / shape.d_model] = old[i];
      break;
    }
    default:
      break;
  }
}

/// Truncates v toward 0 to a number of the dtype. If the dtype can represent v, returns v.
inline double truncate_to_dtype(DType dtype, double v) {
  const double rounded = ref::numeric::round_to(storage_format(dtype), v);
  if (!(std::fabs(rounded) > std::fabs(v))) return rounded;
  const double u = ref::numeric::float_format_info(storage_format(dtype)).unit_roundoff;
  return ref::numeric::round_to(storage_format(dtype), rounded * (1 - 1.25 * u));
}

/// Makes a tensor of the given dtype from an output, as a kernel stores it. Each value is rounded
/// to the dtype. An injected error can truncate the values instead.
template <class T>
StoredTensor stored_tensor(const std::string& name, DType dtype, std::vector<std::size_t> shape,
                           const std::vector<T>& values, const Style& style, Sites& sites) {
  const double least =
      std::max(static_cast<double>(std::numeric_limits<T>::min()),
               ref::numeric::float_format_info(storage_format(dtype)).smallest_normal);
  std::vector<double> rounded, cut;
  rounded.reserve(values.size());
  for (const T v : values) {
    const double own = static_cast<double>(v);
    const double value = style.flushed && std::fabs(own) < least ? 0 : own;
    rounded.push_back(ref::numeric::round_to(storage_format(dtype), value));
    if (ref::io::item_size(dtype) < 4) cut.push_back(truncate_to_dtype(dtype, value));
  }
  // Truncation is offered only if it changes a number, that is, if 16 bits cannot represent it.
  if (cut.size() == rounded.size() && cut != rounded &&
      sites.any("storing the results", {MutationOperator::truncate}) != MutationOperator::none)
    rounded = std::move(cut);
  return ref::io::make_tensor(name, dtype, std::move(shape), rounded);
}

}  // namespace normproof::verification::golden::plain
