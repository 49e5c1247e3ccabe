#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace normproof::verification::cli {

/// Returns a progress bar as one line without line end: "checking claims [####....] 12/46 B3".
std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          std::string_view detail, std::size_t width);

/// A progress bar on standard error. It is drawn only if standard error is a terminal. The
/// destructor erases it.
class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(std::string_view what, std::size_t done, std::size_t total, std::string_view detail);

 private:
  bool drawn_ = false;
  bool is_terminal_ = false;
};

}  // namespace normproof::verification::cli
