#include "verification/golden/gate/error_ratio_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace normproof::verification::golden::gate {

namespace {

constexpr std::size_t kMaxRows = 48, kMaxColumns = 96;

std::size_t divide_rounding_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

/// Returns a label for each row or column of the picture. A label stands for one or several
/// consecutive indices, such as "7" or "4 to 7". The parameter `each` is the number of indices per
/// label.
std::vector<std::string> range_labels(std::size_t count, std::size_t each) {
  std::vector<std::string> texts;
  for (std::size_t first = 0; first < count; first += each) {
    const std::size_t last = std::min(first + each, count) - 1;
    texts.push_back(first == last ? fmt::format("{}", first)
                                  : fmt::format("{} to {}", first, last));
  }
  return texts;
}

}  // namespace

ErrorRatioMap make_error_ratio_map(const std::vector<std::size_t>& shape,
                                   const std::vector<double>& error_ratios) {
  const std::size_t columns = shape.empty() ? 1 : shape.back();
  if (error_ratios.empty() || columns == 0) return {};
  const std::size_t rows = error_ratios.size() / columns;
  const std::size_t rows_each = divide_rounding_up(rows, kMaxRows),
                    columns_each = divide_rounding_up(columns, kMaxColumns);
  ErrorRatioMap map{range_labels(rows, rows_each), range_labels(columns, columns_each), {}};
  map.error_ratios.assign(map.rows.size() * map.columns.size(),
                          std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows * columns; ++i) {
    double& place =
        map.error_ratios[i / columns / rows_each * map.columns.size() + i % columns / columns_each];
    if (std::isnan(place) || error_ratios[i] > place) place = error_ratios[i];
  }
  return map;
}

}  // namespace normproof::verification::golden::gate
