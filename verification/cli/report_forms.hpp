#pragma once

#include <string>
#include <vector>

#include "verification/cli/output.hpp"

namespace normproof::verification::cli {

/// A form in which a command can write its report to a file.
struct ReportForm {
  const char* option;  ///< "--html"
  const char* help;
  std::string (*text)(const Output& output);
};

/// Every form, in the order of --help. A new form is a row here.
const std::vector<ReportForm>& report_forms();

/// The output as JSON: that of the command, or one line per check, or the document.
std::string json_text(const Output& output);

}  // namespace normproof::verification::cli
