#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace normproof::verification::support::process {

/// One line of a text.
struct Line {
  std::string_view text;   ///< without the line end
  std::size_t number = 1;  ///< counted from 1
  bool has_end = true;     ///< whether "\n" follows; only the last line may lack it
};

/// Splits `text` into lines, which point into it. Only "\n" ends a line. An empty text has no
/// lines; characters after the last "\n", if any, form one more line.
std::vector<Line> split_lines(std::string_view text);

/// Returns `text` up to and including its last "\n", so that an unfinished last line is dropped.
std::string_view whole_lines(std::string_view text);

}  // namespace normproof::verification::support::process
