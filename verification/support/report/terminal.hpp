#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// The width at which no line is broken or cut.
inline constexpr std::size_t unlimited_width = 0;

/// Renders the document as lines for a terminal.
///
/// Computes  lines of at most `width` columns, except if a word, a command or table columns that
///           may not be cut are wider. Figures, details, hints and titles of cells are left out
std::string terminal_text(const Document& document, std::size_t width = unlimited_width);

/// Renders a table line by line. A column is as wide as the widest of its head, its minimum width
/// and the cells of `rows`.
class TableLines {
 public:
  explicit TableLines(const std::vector<Column>& columns, const std::vector<Row>& rows = {},
                      std::size_t width = unlimited_width);

  std::string head() const;
  /// Returns the row and its notes.
  std::string row(const Row& row) const;

 private:
  std::string line(const Row& row) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::size_t width_;
};

}  // namespace normproof::verification::support::report
