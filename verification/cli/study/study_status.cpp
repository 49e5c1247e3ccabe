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

/// How far the cells asked for are.
struct Status {
  std::size_t results = 0, cells = 0, done = 0;
  std::vector<std::string> missing;
  /// Of those that are done: times.jsonl need not have all.
  std::size_t measured = 0;
  double seconds = 0;
  std::optional<double> seconds_left;  ///< nothing where no cell of the folder is measured
};

/// The cells that a command asks for, and those that a folder has, with what they cost.
struct AskedCells {
  std::vector<studies::published::Task> asked;
  std::map<std::string, double> finished;
};

template <class Cells, class Results>
AskedCells asked_cells(const Cells& cells, const Results& results) {
  AskedCells own;
  for (const auto& cell : cells) own.asked.push_back({cell_name(cell), cost(cell)});
  for (const auto& [name, finished] : results) own.finished[name] = cost(finished.cell);
  return own;
}

AskedCells asked_cells(const StudyStatusCommand& command, const studies::published::Store& store) {
  if (command.selection.study == WhichStudy::published) {
    const studies::published::Results results = read_contents(command.out, store).results;
    std::vector<studies::published::Cell> there;
    for (const auto& [name, finished] : results) there.push_back(finished.cell);
    return asked_cells(cells_of(quick_where_cells_are(command.selection, there)), results);
  }
  const studies::language::Results results = read_language_results(command.out, store);
  StudySelection selection = command.selection;
  if (!selection.tasks) selection.tasks = language_tasks_of(command.out, store);
  selection.quick = selection.quick || has_quick_alone(results);
  return asked_cells(language_cells_of(selection, results), results);
}

Status status_of(const AskedCells& own, const std::map<std::string, double>& times, int jobs) {
  Status status{own.finished.size(), own.asked.size(), 0, {}, 0, 0, {}};
  // The rate is that of all that is measured here, the seconds are those of the cells asked for.
  double seconds_of_all = 0, cost_of_all = 0, cost_of_missing = 0;
  for (const auto& [name, own_cost] : own.finished)
    if (const auto time = times.find(name); time != times.end()) {
      seconds_of_all += time->second;
      cost_of_all += own_cost;
    }
  for (const studies::published::Task& cell : own.asked) {
    if (!own.finished.contains(cell.name)) {
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

/// "12 done in 3 min", "12 done, 5 of them in 80 s", "12 done, of no measured time".
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
  add_jobs(app, jobs, "Cells");
  require(add_folder(app, "--out", out, "The folder of the study"));
  reports.add_with_json_flag(app);
  set_footer(
      app,
      R"(--jobs is how many cells the time that is left is told for. A folder that has cells of --quick
alone is told of as with --quick.

Example:
  normproof study status --out s --jobs 2)");
}

Output StudyStatusCommand::run() const {
  const studies::published::Store store = store_of(out);
  const Status status = status_of(asked_cells(*this, store), store.times(), jobs);
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
