#include "verification/cli/study/study_status.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "verification/cli/options.hpp"
#include "verification/cli/study/study_folder.hpp"
#include "verification/cli/study/study_language_run.hpp"
#include "verification/studies/published/jobs.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using support::report::plural;

namespace {

/// The progress of the selected training runs.
struct Status {
  std::size_t results = 0, cells = 0, done = 0;
  std::vector<std::string> missing;
  /// The number of finished training runs whose time is known. The times of some training runs may
  /// be missing in times.jsonl.
  std::size_t measured = 0;
  double seconds = 0;
  std::optional<double> seconds_left;  ///< absent if no training run in the folder has a time
};

/// The training runs that the command selects, and the training runs that have results in the
/// folder, each with its cost.
struct SelectedCells {
  std::vector<studies::published::Task> requested;
  std::map<std::string, double> finished;
};

template <class Cells, class Results>
SelectedCells list_selected_cells(const Cells& cells, const Results& results) {
  SelectedCells selected;
  for (const auto& cell : cells) selected.requested.push_back({cell_name(cell), cost(cell)});
  for (const auto& [name, finished] : results) selected.finished[name] = cost(finished.cell);
  return selected;
}

SelectedCells list_selected_cells(const StudyStatusCommand& command,
                                  const studies::published::Store& store) {
  if (command.selection.study == WhichStudy::published) {
    const studies::published::Results results = read_contents(command.out, store).results;
    std::vector<studies::published::Cell> there;
    for (const auto& [name, finished] : results) there.push_back(finished.cell);
    return list_selected_cells(select_cells(select_quick_if_needed(command.selection, there)),
                               results);
  }
  const studies::language::Results results = read_language_results(command.out, store);
  StudySelection selection = command.selection;
  if (!selection.tasks) selection.tasks = read_language_tasks(command.out, store);
  selection.quick = selection.quick || has_only_quick_cells(results);
  return list_selected_cells(list_language_cells(selection, results), results);
}

Status summarize_status(const SelectedCells& cells, const std::map<std::string, double>& times,
                        int jobs) {
  Status status{cells.finished.size(), cells.requested.size(), 0, {}, 0, 0, {}};
  // The seconds per cost are those of all training runs in the folder with a known time. The number
  // of seconds is that of the selected training runs.
  double seconds_of_all = 0, cost_of_all = 0, cost_of_missing = 0;
  for (const auto& [name, cell_cost] : cells.finished)
    if (const auto time = times.find(name); time != times.end()) {
      seconds_of_all += time->second;
      cost_of_all += cell_cost;
    }
  for (const studies::published::Task& cell : cells.requested) {
    if (!cells.finished.contains(cell.name)) {
      status.missing.push_back(cell.name);
      cost_of_missing += cell.cost;
      continue;
    }
    ++status.done;
    if (const auto time = times.find(cell.name); time != times.end()) {
      ++status.measured;
      status.seconds += time->second;
    }
  }
  if (status.missing.empty())
    status.seconds_left = 0;
  else if (cost_of_all > 0)
    status.seconds_left =
        seconds_of_all / cost_of_all * cost_of_missing / static_cast<double>(jobs);
  return status;
}

/// Returns the progress as text: "12 done in 3 min", "12 done, 5 of them in 80 s, the others not
/// measured" or "12 done, no time measured".
std::string done_text(const Status& status) {
  if (status.done == 0) return "none done";
  const std::string seconds = duration_text(status.seconds);
  if (status.measured == status.done) return fmt::format("{} done in {}", status.done, seconds);
  if (status.measured == 0) return fmt::format("{} done, no time measured", status.done);
  return fmt::format("{} done, {} of them in {}, the others not measured", status.done,
                     status.measured, seconds);
}

}  // namespace

void StudyStatusCommand::add(CLI::App& app) {
  selection.add(app);
  add_jobs_option(app, jobs, "Cells to compute");
  require(add_folder_option(app, "--out", out, "The folder of the study"));
  reports.add_with_json_flag(app);
  set_footer(
      app,
      R"(The time that is left is estimated for --jobs cells at a time. If the folder has only cells of
--quick, the report is that of --quick.

Example:
  normproof study status --out s --jobs 2)");
}

Output StudyStatusCommand::run() const {
  const studies::published::Store store = open_store(out);
  const Status status = summarize_status(list_selected_cells(*this, store), store.times(), jobs);
  const auto or_null = [](const std::optional<double>& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
  };
  const nlohmann::ordered_json object = {
      {"results", status.results},
      {"cells", status.cells},
      {"done", status.done},
      {"missing", status.missing},
      {"seconds_left", or_null(status.seconds_left)},
      {"measured", status.measured},
      {"seconds_measured",
       or_null(status.measured > 0 ? std::optional(status.seconds) : std::nullopt)}};
  std::string text =
      fmt::format("{}; of {} selected {}, {} missing", plural(status.results, "result"),
                  plural(status.cells, "cell"), done_text(status), status.missing.size());
  if (!status.missing.empty())
    text += status.seconds_left
                ? fmt::format(", about {} with {}", duration_text(*status.seconds_left),
                              plural(static_cast<std::size_t>(jobs), "job"))
                : std::string(", no time to tell by how long they take");
  return {.document =
              support::report::Document{"normproof: a study", {support::report::Paragraph{text}}},
          .json = object.dump(1) + "\n"};
}

}  // namespace normproof::verification::cli::study
