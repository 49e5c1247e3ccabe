#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

/// metrics.jsonl: lines appended, each written wholly before the next step. Its hash after a line
/// is that of the hash before and the line.
class Metrics {
 public:
  /// Opens the file, and cuts off what it has beyond `end`.
  /// Throws    FileError where it is shorter than that, altered before it, or cannot be written
  Metrics(std::filesystem::path file, const MetricsEnd& end);

  /// Throws    FileError where it cannot be written
  void add(const nlohmann::ordered_json& line);

  const MetricsEnd& end() const { return end_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  MetricsEnd end_;
};

/// The loss of the last step that such a file has, NaN where it has none.
double last_loss(const std::filesystem::path& file);

}  // namespace normproof::verification::training
