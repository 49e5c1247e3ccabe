#pragma once

#include <filesystem>
#include <string>

#include "verification/cli/command.hpp"
#include "verification/golden/candidate/export.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::cli::golden {

struct GoldenExportCommand {
  static constexpr const char* name = "export";
  static constexpr const char* summary = "Write the cases of a corpus in another format";

  std::filesystem::path golden = {}, out = {};
  verification::golden::candidate::ExportFormat format =
      verification::golden::candidate::ExportFormat::npz;
  verification::golden::corpus::PathGlobs only = {};

  void add(CLI::App& app);

  /// Writes the cases of a corpus into a folder in another file format.
  Output run() const;
};

}  // namespace normproof::verification::cli::golden
