#pragma once

#include <filesystem>
#include <optional>

#include "verification/cli/training_source.hpp"
#include "verification/training/trace.hpp"

namespace normproof::verification::cli {

struct TraceCommand {
  TrainingSource source = {};
  std::filesystem::path out = {};
  std::optional<std::filesystem::path> weights = {};  ///< to begin with, in PyTorch's names
  std::size_t steps = 1;
  bool certified = false;
  std::string suffix = ".safetensors";
  int threads = 1;
  bool json = false;
};

/// Writes every tensor of the first steps of a training: see training::trace. On standard output a
/// line a step, or with `json` one object: of a certified trace how far the run in double is from
/// the truth, and by what factor a step that grows.
/// Throws    UsageError, FileError, training::RunFailure
void trace(const TraceCommand& command);

/// The text on standard output.
std::string trace_text(const TraceCommand& command, const std::string& corpus,
                       const training::TraceSummary& summary);
std::string trace_json(const TraceCommand& command, const std::string& corpus,
                       const training::TraceSummary& summary);

}  // namespace normproof::verification::cli
