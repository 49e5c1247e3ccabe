#include "verification/cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "verification/cli/standard_streams.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli {

using support::report::cut;

std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          std::string_view detail, std::size_t width) {
  constexpr std::size_t kBarWidth = 30;
  const std::size_t filled = total == 0 ? kBarWidth : std::min(kBarWidth, kBarWidth * done / total);
  const std::string line = fmt::format("{} [{}{}] {}/{} {}", what, std::string(filled, '#'),
                                       std::string(kBarWidth - filled, '.'), done, total, detail);
  return cut(line, width);
}

ProgressBar::ProgressBar() : is_terminal_(cli::is_terminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_stderr("\r\x1b[K");
}

void ProgressBar::show(std::string_view what, std::size_t done, std::size_t total,
                       std::string_view detail) {
  if (!is_terminal_) return;
  drawn_ = true;
  const std::size_t width = terminal_width(STDERR_FILENO, 80);
  write_stderr(fmt::format("\r{}\x1b[K", progress_line(what, done, total, detail, width - 1)));
}

}  // namespace normproof::verification::cli
