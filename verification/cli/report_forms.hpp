#pragma once

#include <string>
#include <vector>

#include "verification/cli/output.hpp"

namespace normproof::verification::cli {

/// A file format in which a command can write its report.
struct ReportForm {
  const char* option;  ///< option that requests this format, such as "--html"
  const char* help;
  std::string (*text)(const Output& output);
};

/// Returns every file format of reports, in the order of --help. To add a format, add an entry to
/// this list.
const std::vector<ReportForm>& report_forms();

/// Returns the output as JSON. If the command has no JSON of its own, returns one line per check.
/// If it has no checks either, returns the document.
std::string json_text(const Output& output);

}  // namespace normproof::verification::cli
