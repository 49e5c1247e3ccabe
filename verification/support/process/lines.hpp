#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace normproof::verification::support::process {

/// One line of a text.
struct Line {
  std::string_view text;   ///< the line without its line end
  std::size_t number = 1;  ///< number of the line, counted from 1
  bool has_end = true;     ///< whether a line feed ends the line; only the last line may lack it
};

/// Splits a text into its lines. The results point into `text`. Only a line feed ends a line. An
/// empty text has no lines. Characters after the last line feed form a last line.
std::vector<Line> split_lines(std::string_view text);

/// Returns the part of the text up to and including its last line feed. An unfinished last line is
/// dropped.
std::string_view remove_unfinished_line(std::string_view text);

}  // namespace normproof::verification::support::process
