#include "verification/cli/report_options.hpp"

#include <algorithm>

#include "verification/cli/options.hpp"
#include "verification/cli/report_forms.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli {

namespace {

/// Returns the index of the report format that has this option, or the number of formats if there
/// is none.
std::size_t form_index(std::string_view option) {
  const auto found = std::ranges::find(report_forms(), option, &ReportForm::option);
  return static_cast<std::size_t>(found - report_forms().begin());
}

}  // namespace

ReportOptions::ReportOptions() : files(report_forms().size()) {}

void ReportOptions::add(CLI::App& app) {
  for (std::size_t i = 0; i < files.size(); ++i)
    add_file_option(app, report_forms()[i].option, files[i], report_forms()[i].help);
}

void ReportOptions::add_with_json_flag(CLI::App& app) {
  add_json_flag(app, json_on_stdout);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (std::string_view(report_forms()[i].option) != "--json")
      add_file_option(app, report_forms()[i].option, files[i], report_forms()[i].help);
}

std::optional<std::filesystem::path>& ReportOptions::file(std::string_view option) {
  return files.at(form_index(option));
}

const std::optional<std::filesystem::path>& ReportOptions::file(std::string_view option) const {
  return files.at(form_index(option));
}

std::vector<NamedFile> ReportOptions::named() const {
  std::vector<NamedFile> named;
  for (std::size_t i = 0; i < files.size(); ++i)
    named.push_back({report_forms()[i].option, files[i]});
  return named;
}

}  // namespace normproof::verification::cli
