#include "verification/cli/study/study_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/cli/options.hpp"
#include "verification/cli/shared_options.hpp"

namespace normproof::verification::cli::study {

void StudyListCommand::add(CLI::App& app) {
  selection.add(app);
  add_json_flag(app, json);
  set_footer(
      app,
      R"(For language models, lists the cells that choose the learning rates, unless --cells names others.
The cells to test are known once these are done.

Examples:
  normproof study list --tables 1 --figures none
  normproof study list --quick --json
  normproof study list --study language)");
}

Output StudyListCommand::run() const {
  nlohmann::ordered_json names = nlohmann::json::array();
  std::string text;
  const auto list = [&](const auto& cells) {
    for (const auto& cell : cells) {
      names.push_back(cell_name(cell));
      text += fmt::format("{}\n", cell_name(cell));
    }
  };
  if (selection.study == WhichStudy::language)
    list(list_language_cells(selection, {}));
  else
    list(select_cells(selection));
  return printed(json ? names.dump(1) + "\n" : text);
}

}  // namespace normproof::verification::cli::study
