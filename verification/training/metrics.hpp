#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// Appends lines to metrics.jsonl. A line is written completely before the next training step
/// starts. The hash of the file is updated with each line.
class Metrics {
 public:
  /// Opens the file and truncates it to the length that `end` states.
  /// Throws    FileError if the file is shorter than this length, if the bytes that remain were
  ///           altered, or if the file cannot be written
  Metrics(std::filesystem::path file, const MetricsEnd& end);

  /// Appends a line.
  /// Throws    FileError if it cannot be written
  void add(const nlohmann::ordered_json& line);

  const MetricsEnd& end() const { return end_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  MetricsEnd end_;
};

/// Returns the loss of the last step in a metrics file, or NaN if it has none.
double last_loss(const std::filesystem::path& file);

}  // namespace normproof::verification::training
