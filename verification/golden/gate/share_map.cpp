#include "verification/golden/gate/share_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace normproof::verification::golden::gate {

namespace {

constexpr std::size_t kMaxRows = 48, kMaxColumns = 96;

std::size_t rounded_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

/// Returns a label for each row or column of the picture: "7" for one index, "4 to 7" for several.
std::vector<std::string> names(std::size_t count, std::size_t each) {
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
                                   const std::vector<double>& shares) {
  const std::size_t columns = shape.empty() ? 1 : shape.back();
  if (shares.empty() || columns == 0) return {};
  const std::size_t rows = shares.size() / columns;
  const std::size_t rows_each = rounded_up(rows, kMaxRows),
                    columns_each = rounded_up(columns, kMaxColumns);
  ErrorRatioMap map{names(rows, rows_each), names(columns, columns_each), {}};
  map.shares.assign(map.rows.size() * map.columns.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows * columns; ++i) {
    double& place =
        map.shares[i / columns / rows_each * map.columns.size() + i % columns / columns_each];
    if (std::isnan(place) || shares[i] > place) place = shares[i];
  }
  return map;
}

}  // namespace normproof::verification::golden::gate
