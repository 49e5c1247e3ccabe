#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// The value of `width` for which lines are neither broken nor cut.
inline constexpr std::size_t unlimited_width = 0;

/// Renders the document as lines of text for a terminal.
///
/// Computes  lines of at most `width` columns. A line may be longer if it has a long word, a
///           command, or table columns that may not be cut. Figures are left out. So are the
///           details, hints and titles of cells
std::string terminal_text(const Document& document, std::size_t width = unlimited_width);

/// Renders a table row by row. The width of a column is the maximum of its min_width, the width of
/// its head, and the widths of its cells in `rows`.
class TableLines {
 public:
  explicit TableLines(const std::vector<Column>& columns, const std::vector<Row>& rows = {},
                      std::size_t width = unlimited_width);

  std::string head() const;
  /// Returns the lines of a row and of its notes.
  std::string row(const Row& row) const;

 private:
  std::string line(const Row& row) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::size_t width_;
};

}  // namespace normproof::verification::support::report
