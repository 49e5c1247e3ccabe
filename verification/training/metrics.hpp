#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// Appends lines to metrics.jsonl, each written completely before the next step. The hash after a
/// line is computed from the hash before it and the line.
class Metrics {
 public:
  /// Opens the file and truncates it to `end`.
  /// Throws    FileError if it is shorter than that, was altered before that, or cannot be written
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
