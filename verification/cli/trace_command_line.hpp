#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/trace.hpp"
#include "verification/cli/training_source_options.hpp"

namespace normproof::verification::cli {

/// The options of `normproof trace`, as text.
struct TraceTexts {
  TrainingSourceTexts source;
  std::string out, weights, threads, steps = "1", format = "safetensors";
  bool certified = false, json = false;
};

void add_trace(CLI::App& app, TraceTexts& texts);

/// Throws    UsageError
TraceCommand trace_command(const CLI::App& command, const TraceTexts& texts);

}  // namespace normproof::verification::cli
