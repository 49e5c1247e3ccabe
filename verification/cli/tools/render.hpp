#pragma once

#include <filesystem>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"

namespace normproof::verification::cli::tools {

struct RenderCommand {
  static constexpr const char* name = "render";
  static constexpr const char* summary =
      "Render a JSON document as text, Markdown or one HTML page";

  std::filesystem::path source;
  ReportOptions reports;

  void add(CLI::App& app);
  std::vector<NamedFile> inputs() const;

  /// Reads a document with read_document(), prints it as text, and writes the requested files.
  Output run() const;
};

}  // namespace normproof::verification::cli::tools
