#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "verification/cli/command.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/train/training_source.hpp"
#include "verification/training/trace.hpp"

namespace normproof::verification::cli::train {

struct TraceCommand {
  static constexpr const char* name = "trace";
  static constexpr const char* summary =
      "Write every tensor of the first training steps, in double or certified";

  std::filesystem::path out = {};
  std::size_t steps = 1;
  bool certified = false;
  std::string suffix = ".safetensors";
  TrainingSource source = {};
  /// File of the initial weights, with PyTorch's names.
  std::optional<std::filesystem::path> weights = {};
  int threads = processor_count();
  ReportOptions reports = {};

  void add(CLI::App& app);

  /// Writes every tensor of the first training steps (training::trace). Prints one line per step
  /// or, with `json`, one JSON object. For a certified trace, it prints the distance of the run in
  /// double from the exact values, and the factor by which the distance grows per step.
  /// Throws    UsageError, FileError, training::RunFailure
  Output run() const;
};

/// Returns the report of a trace: the losses and, for a certified trace, the distances from the
/// exact values.
support::report::Document trace_document(const std::string& corpus,
                                         const training::TraceSummary& summary);
/// Returns the text that the command prints.
std::string trace_text(const TraceCommand& command, const std::string& corpus,
                       const training::TraceSummary& summary);
std::string trace_json(const TraceCommand& command, const std::string& corpus,
                       const training::TraceSummary& summary);

}  // namespace normproof::verification::cli::train
