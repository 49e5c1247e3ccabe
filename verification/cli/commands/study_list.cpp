#include "verification/cli/commands/study_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/standard_streams.hpp"

namespace normproof::verification::cli::commands {

void StudyListCommand::add(CLI::App& app) {
  selection.add(app);
  add_json_flag(app, json);
  set_footer(app, R"(Examples:
  normproof study list --tables 1 --figures none
  normproof study list --quick --json)");
}

ExitStatus StudyListCommand::run() const {
  const std::vector<study::Cell> cells = cells_of(selection);
  nlohmann::ordered_json names = nlohmann::json::array();
  std::string text;
  for (const study::Cell& cell : cells) {
    names.push_back(cell_name(cell));
    text += fmt::format("{}\n", cell_name(cell));
  }
  write_stdout(json ? names.dump(1) + "\n" : text);
  return kSuccess;
}

}  // namespace normproof::verification::cli::commands
