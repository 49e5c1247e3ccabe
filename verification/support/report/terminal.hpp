#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// No line is broken or cut.
inline constexpr std::size_t unlimited_width = 0;

/// Computes  the document as lines of at most `width` columns, save where a word, a command or the
///           columns of a table that may not be cut take more. Figures, details, hints and titles
///           of cells are left out
std::string terminal_text(const Document& document, std::size_t width = unlimited_width);

/// The lines of a table one by one: its columns are as wide as the widest of `rows`, its head and
/// its least width.
class TableLines {
 public:
  explicit TableLines(const std::vector<Column>& columns, const std::vector<Row>& rows = {},
                      std::size_t width = unlimited_width);

  std::string head() const;
  /// The row and its notes.
  std::string row(const Row& row) const;

 private:
  std::string line(const Row& row) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::size_t width_;
};

}  // namespace normproof::verification::support::report
