#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace normproof::verification::support::process {

/// A line of a text.
struct Line {
  std::string_view text;   ///< without its end
  std::size_t number = 1;  ///< from 1
  bool has_end = true;     ///< a line end stands after it: only the last may have none
};

/// The lines of `text`, which they point into. Only "\n" ends a line; an empty text has none, and
/// what comes after the last end is a line where it is not empty.
std::vector<Line> split_lines(std::string_view text);

/// What is in front of a last line without its end.
std::string_view whole_lines(std::string_view text);

}  // namespace normproof::verification::support::process
