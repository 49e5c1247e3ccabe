#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"
#include "verification/cli/report_options.hpp"

namespace normproof::verification::cli::tools {

struct RenderCommand {
  static constexpr const char* name = "render";
  static constexpr const char* summary =
      "Write a document that is given as JSON as text, Markdown and one HTML page";

  std::filesystem::path source;
  ReportOptions reports;

  void add(CLI::App& app);

  /// Prints the document as text and writes the requested files (read_document).
  ExitStatus run() const;
};

}  // namespace normproof::verification::cli::tools
