#include "verification/cli/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/study_report.hpp"
#include "verification/cli/text.hpp"
#include "verification/study/cell_run.hpp"
#include "verification/study/convergence.hpp"
#include "verification/study/jobs.hpp"
#include "verification/study/store.hpp"

namespace normproof::verification::cli {

using ref::numeric::FileError;
using ref::numeric::UsageError;

namespace {

study::Store store_of(const StudyCommand& command) {
  return study::Store(command.out, [](const std::string& sentence) {
    write_stderr(fmt::format("normproof: {}\n", clean_line(sentence)));
  });
}

/// What study.json says.
study::Identity read_identity(const StudyCommand& command, const std::string& text) {
  return study::parse_identity(text, (command.out / "study.json").string());
}

/// The results of a folder, all of them of the data of its study.json, and the classes of that.
struct Contents {
  study::ClassCounts classes;
  study::Results results;
};

Contents read_contents(const StudyCommand& command, const study::Store& store) {
  study::Identity identity = read_identity(command, store.identity());
  const auto lines = store.results();
  store.check_data(identity.data_sha256);
  return {std::move(identity.classes),
          study::read_results(lines, (command.out / "results.jsonl").string())};
}

training::Dataset load_study_data(const StudyCommand& command) {
  training::RunConfig config = load_config(command.source);
  return load_training_data(command.source, config).data;
}

/// Another rank of an MPI program prints what there is to say.
bool is_silent_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* const rank = std::getenv(variable)) return std::string_view(rank) != "0";
  return false;
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void list_cells(const StudyCommand& command) {
  const std::vector<study::Cell> cells = cells_of(command);
  nlohmann::ordered_json names = nlohmann::json::array();
  std::string text;
  for (const study::Cell& cell : cells) {
    names.push_back(cell_name(cell));
    text += fmt::format("{}\n", cell_name(cell));
  }
  write_stdout(command.json ? names.dump(1) + "\n" : text);
}

void run_cells(const StudyCommand& command) {
  const std::vector<study::Cell> cells = cells_of(command);
  std::vector<study::Task> tasks;
  tasks.reserve(cells.size());
  for (const study::Cell& cell : cells) {
    study::config_of(cell);  // refuses now what could not be run
    tasks.push_back({cell_name(cell), cost(cell)});
  }
  const training::Dataset data = load_study_data(command);
  if (command.device) study::try_in_child([&] { gpu::device::open_device(*command.device); });
  const study::Store store = store_of(command);
  const std::string identity = study::study_identity(data);
  store.begin(identity, [&](const std::string& there) { read_identity(command, there); });
  store.check_data(read_identity(command, identity).data_sha256);
  ProgressBar bar;
  // Opened by the first cell of a worker: a process that has a GPU open cannot fork.
  std::unique_ptr<gpu::device::Device> device;
  const study::JobsSummary summary = study::run_tasks(
      store, std::move(tasks),
      [&](const std::string& name) {
        if (command.device && !device) device = gpu::device::open_device(*command.device);
        return result_line(study::run_cell(study::parse_cell(name), data,
                                           {.device = device.get(), .after_step = {}}));
      },
      {.jobs = command.jobs, .progress = [&](const study::JobsProgress& progress) {
         bar.show("cells", progress.done, progress.tasks,
                  fmt::format("{} left, {}", duration_text(progress.seconds_left), progress.name));
       }});
  if (is_silent_rank()) return;
  const nlohmann::ordered_json counts = {{"cells", summary.tasks},
                                         {"done_before", summary.done_before},
                                         {"done_here", summary.done_here},
                                         {"done_elsewhere", summary.done_elsewhere}};
  write_stdout(command.json ? counts.dump(1) + "\n"
                            : fmt::format("{}: {} done before, {} here, {} elsewhere\n",
                                          plural(summary.tasks, "cell"), summary.done_before,
                                          summary.done_here, summary.done_elsewhere));
}

/// How far the cells asked for are.
struct Status {
  std::size_t results = 0, cells = 0, done = 0;
  std::vector<std::string> missing;
  /// Of those that are done: times.jsonl need not have all.
  std::size_t measured = 0;
  double seconds = 0;
  std::optional<double> seconds_left;  ///< nothing where no cell of the folder is measured
};

Status status_of(const StudyCommand& command, const study::Results& results,
                 const std::map<std::string, double>& times) {
  const std::vector<study::Cell> cells = cells_of(command);
  Status status{results.size(), cells.size(), 0, {}, 0, 0, {}};
  // The rate is that of all that is measured here, the seconds are those of the cells asked for.
  double seconds_of_all = 0, cost_of_all = 0, cost_of_missing = 0;
  for (const auto& [name, finished] : results)
    if (const auto time = times.find(name); time != times.end()) {
      seconds_of_all += time->second;
      cost_of_all += cost(finished.cell);
    }
  for (const study::Cell& cell : cells) {
    const std::string name = cell_name(cell);
    if (!results.contains(name)) {
      status.missing.push_back(name);
      cost_of_missing += cost(cell);
      continue;
    }
    ++status.done;
    if (const auto time = times.find(name); time != times.end()) {
      ++status.measured;
      status.seconds += time->second;
    }
  }
  if (status.missing.empty())
    status.seconds_left = 0;
  else if (cost_of_all > 0)
    status.seconds_left =
        seconds_of_all / cost_of_all * cost_of_missing / static_cast<double>(command.jobs);
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

void show_status(const StudyCommand& command) {
  const study::Store store = store_of(command);
  const Status status = status_of(command, read_contents(command, store).results, store.times());
  if (command.json) {
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
    return write_stdout(object.dump(1) + "\n");
  }
  std::string text =
      fmt::format("{}; of {} selected {}, {} missing", plural(status.results, "result"),
                  plural(status.cells, "cell"), done_text(status), status.missing.size());
  if (!status.missing.empty())
    text += status.seconds_left
                ? fmt::format(", about {} with {}", duration_text(*status.seconds_left),
                              plural(static_cast<std::size_t>(command.jobs), "job"))
                : std::string(", no time to tell by how long they take");
  write_stdout(fmt::format("{}\n", text));
}

void write_report(const StudyCommand& command) {
  const study::Store store = store_of(command);
  const Contents contents = read_contents(command, store);
  const study::Results& results = contents.results;
  const study::ClassCounts& classes = contents.classes;
  if (results.empty())
    throw FileError(fmt::format("{}: holds no result; expected some of 'normproof study run'",
                                (command.out / "results.jsonl").string()));
  const Document document = study_document(results, classes);
  for (const auto& part : document)
    if (const auto* const figure = std::get_if<DocumentFigure>(&part))
      if (figure->drawing.failure.empty())
        ref::io::write_file(command.out / figure->file, figure->drawing.svg + "\n");
  ref::io::write_file(command.out / "report.html", document_html("normproof: the study", document));
  ref::io::write_file(command.out / "report.md", document_markdown(document));
  if (command.json) return write_stdout(study_summary(results, classes).dump(1) + "\n");
  std::string text = fmt::format("{}: {} and report.md\n", plural(results.size(), "cell"),
                                 (command.out / "report.html").string());
  for (const study::Condition& condition : conditions_of(results)) {
    const study::Agreement counts = study::agreement(tables_of(results, condition, classes));
    text += fmt::format("{}: {}\n", condition_name(condition), agreement_text(counts));
  }
  write_stdout(text);
}

}  // namespace

std::vector<study::Cell> cells_of(const StudyCommand& command) {
  std::vector<study::Cell> cells;
  cells.reserve(command.cells.size());
  for (const std::string& name : command.cells) {
    study::Cell cell = study::parse_cell(name);
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(std::move(cell));
  }
  if (cells.empty()) cells = plan(command.selection);
  if (cells.empty())
    throw UsageError("no cell is selected; expected a table, a figure or an initialization");
  return cells;
}

void study(const StudyCommand& command) {
  switch (command.verb) {
    case StudyVerb::list:
      return list_cells(command);
    case StudyVerb::run:
      return run_cells(command);
    case StudyVerb::status:
      return show_status(command);
    case StudyVerb::report:
      return write_report(command);
  }
}

}  // namespace normproof::verification::cli
