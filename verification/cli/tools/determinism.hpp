#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::tools {

struct DeterminismCommand {
  static constexpr const char* name = "determinism";
  static constexpr const char* summary =
      "Compute a hash of every computation whose bits the contract promises";

  std::optional<std::filesystem::path> against = {};
  int threads = processor_count();
  /// Name of the instruction set that the program uses. If absent, it is the widest instruction set
  /// of this processor.
  std::optional<std::string> instruction_set = {};
  ReportOptions reports = {};

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Runs every probe of the determinism contract, writes the requested files, and prints the
  /// result. Without --against, it prints the environment, one hash per probe, and whether the
  /// hashes equal the hashes that the contract promises. With --against FILE, it prints one line,
  /// which says whether the hashes equal the hashes in FILE.
  /// Returns   kSuccess if the bits are the same
  /// Throws    UsageError, FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::tools
