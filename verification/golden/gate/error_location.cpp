#include "verification/golden/gate/error_location.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::gate {

namespace {

using Indices = std::vector<std::size_t>;

std::size_t product(const Indices& extents) {
  std::size_t all = 1;
  for (const std::size_t extent : extents) all *= extent;
  return all;
}

Indices select_distinct(const Indices& values) {
  const std::set<std::size_t> set(values.begin(), values.end());
  return {set.begin(), set.end()};
}

/// Returns a text such as "columns 3 modulo 8" if the indices are exactly those below `extent` that
/// have the same remainder modulo a power of two. The smallest such power is used.
std::optional<std::string> describe_residue_class(const Indices& indices, std::size_t extent,
                                                  const std::string& many) {
  for (std::size_t period = 2; period <= 64 && 2 * period <= extent; period *= 2) {
    const std::size_t residue = indices.front() % period;
    const auto is_there = [&](std::size_t i) { return i % period == residue; };
    const std::size_t whole = (extent - residue + period - 1) / period;
    if (indices.size() == whole && std::ranges::all_of(indices, is_there))
      return fmt::format("{} {} modulo {}", many, residue, period);
  }
  return std::nullopt;
}

/// Describes a set of rows or columns. Returns nothing if the indices are neither a range nor the
/// set that describe_residue_class describes.
std::optional<std::string> describe_range(const Indices& indices, std::size_t extent,
                                          const std::string& one) {
  const std::size_t first = indices.front(), last = indices.back();
  if (indices.size() == extent) return "every " + one;
  if (indices.size() == 1 && last + 1 == extent) return "the last " + one;
  if (indices.size() == 1 && first == 0) return "the first " + one;
  if (indices.size() == 1) return fmt::format("{} {}", one, first);
  if (indices.size() == last - first + 1)
    return last + 1 == extent ? fmt::format("{}s from {} on", one, first)
                              : fmt::format("{}s {} to {}", one, first, last);
  return describe_residue_class(indices, extent, one + "s");
}

}  // namespace

std::string describe_error_location(const Indices& wrong, const Indices& shape) {
  const std::size_t all = product(shape);
  if (wrong.empty() || wrong.back() >= all)
    ref::numeric::contract_failure("find_kind_and_index", "wrong", "is empty or past the end",
                                   "elements of the tensor", ref::numeric::Clause::C1);
  if (wrong.size() == all) return "every element";
  const std::size_t width = shape.back(), count = all / width;
  Indices rows, columns;
  for (const std::size_t i : wrong) {
    rows.push_back(i / width);
    columns.push_back(i % width);
  }
  rows = select_distinct(rows);
  columns = select_distinct(columns);
  const auto row_range = describe_range(rows, count, "row"),
             column_range = describe_range(columns, width, "column");
  // Some elements of a wrong region are within their bounds by chance, so three quarters suffice.
  const bool is_region = 4 * wrong.size() >= 3 * rows.size() * columns.size();
  const bool some_rows = row_range && rows.size() < count;
  const bool some_columns = column_range && columns.size() < width;
  if (is_region && some_rows && some_columns)
    return fmt::format("{}, {}", *row_range, *column_range);
  if (is_region && some_rows && 4 * columns.size() >= 3 * width) return *row_range;
  if (is_region && some_columns && 4 * rows.size() >= 3 * count) return *column_range;
  const std::size_t tail = all - wrong.front();
  if (wrong.front() > 0 && 4 * wrong.size() >= 3 * tail)
    return fmt::format("elements from {} on", wrong.front());
  return fmt::format("{} of {} elements", wrong.size(), all);
}

}  // namespace normproof::verification::golden::gate
