#include "verification/support/process/lines.hpp"

namespace normproof::verification::support::process {

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool has_end = end != std::string_view::npos;
    lines.push_back({text.substr(0, end), lines.size() + 1, has_end});
    text.remove_prefix(has_end ? end + 1 : text.size());
  }
  return lines;
}

std::string_view remove_unfinished_line(std::string_view text) {
  return text.substr(0, text.rfind('\n') + 1);
}

}  // namespace normproof::verification::support::process
