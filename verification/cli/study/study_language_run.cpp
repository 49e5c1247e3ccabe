#include "verification/cli/study/study_language_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/study/study_folder.hpp"
#include "verification/cli/study/study_language_report.hpp"
#include "verification/cli/train/training_source.hpp"
#include "verification/studies/language/cell_run.hpp"
#include "verification/studies/language/conclusions.hpp"
#include "verification/studies/published/jobs.hpp"
#include "verification/support/process/rank.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using ref::numeric::UsageError;
using support::report::plural;

namespace {

namespace fs = std::filesystem;
using LanguageCells = std::vector<studies::language::Cell>;

/// Returns the names of the tasks as text: "language and translate".
std::string tasks_text(const studies::language::DataHashes& hashes, const char* between) {
  std::string text;
  for (const auto& [task, sha256] : hashes)
    text += (text.empty() ? "" : between) + ref::model::print_field(task);
  return text;
}

/// Throws an error if options are given that only the published study has.
void refuse_options(const StudyRunCommand& command) {
  for (const auto& [option, given] :
       {std::pair{"--vocab", command.source.files.vocab.has_value()},
        std::pair{"--validation", command.source.validation.has_value()}})
    if (given)
      throw UsageError(fmt::format("{} is given; expected none with --study language", option));
}

/// The number of synthetic sentence pairs for a quick training run. The 4000 pairs that
/// `normproof train` uses would take too long.
constexpr ref::data::SyntheticPairCounts kQuickPairs = {
    .training = 1000, .validation = 100, .test = 100};

/// Returns the tasks that the user names. If the user names none, returns the tasks whose data is
/// given. If no data is given either, returns all tasks.
std::vector<training::Task> requested_tasks(const StudyRunCommand& command,
                                            const LanguageCells& named) {
  using training::Task;
  if (!named.empty()) {
    std::vector<Task> tasks;
    for (const Task task : studies::language::study_tasks())
      if (std::ranges::find(named, task, &studies::language::Cell::task) != named.end())
        tasks.push_back(task);
    return tasks;
  }
  if (command.selection.tasks) return *command.selection.tasks;
  const bool text = command.source.files.data.has_value(), pairs = command.pairs.has_value();
  if (text == pairs) return studies::language::study_tasks();
  return {text ? Task::language : Task::translate};
}

/// Returns the part of an error message that explains how to run without data, such as "--quick,
/// which has a made-up one".
std::string no_data_advice(const StudyRunCommand& command, std::string_view made_up) {
  return command.selection.cells.empty()
             ? fmt::format("--quick, which has {}", made_up)
             : fmt::format("cells that end in /quick, which have {}", made_up);
}

/// Loads the text of --data, or generates a text.
training::TextData load_study_text(const StudyRunCommand& command, bool quick) {
  if (!command.source.files.data && !quick)
    throw UsageError(fmt::format("--data is not given; expected a text in UTF-8, or {}",
                                 no_data_advice(command, "a made-up one")));
  const auto [text, name] = train::load_text(command.source.files.data);
  return training::split_text(text, name);
}

/// Loads the sentence pairs of --pairs, or generates pairs.
training::PairData load_study_pairs(const StudyRunCommand& command, bool quick) {
  auto [pairs, name] =
      train::load_pairs(command.pairs, command.source.languages, "--pairs", kQuickPairs);
  if (!command.pairs && !quick)
    throw UsageError(fmt::format("--pairs is not given; expected a folder of pairs, or {}",
                                 no_data_advice(command, "made-up ones")));
  return training::add_vocabularies(std::move(pairs),
                                    training::default_config(training::Task::translate));
}

/// Loads the data of the tasks. If no data is given for a task, and all its training runs are
/// quick, the data is generated.
studies::language::StudyData load_language_data(const StudyRunCommand& command,
                                                const std::vector<training::Task>& tasks,
                                                const LanguageCells& cells) {
  using training::Task;
  const auto has = [&](Task task) { return std::ranges::find(tasks, task) != tasks.end(); };
  const auto is_quick = [&](Task task) {
    return std::ranges::all_of(cells, [=](const studies::language::Cell& cell) {
      return cell.task != task || cell.size == studies::language::Size::quick;
    });
  };
  for (const auto& [option, given, task] :
       {std::tuple{"--data", command.source.files.data.has_value(), Task::language},
        std::tuple{"--pairs", command.pairs.has_value(), Task::translate},
        std::tuple{"--source", command.source.languages.source.has_value(), Task::translate},
        std::tuple{"--target", command.source.languages.target.has_value(), Task::translate}})
    if (given && !has(task))
      throw UsageError(fmt::format("{} is given; expected none without cells of the task {}",
                                   option, ref::model::print_field(task)));
  studies::language::StudyData data;
  if (has(Task::language)) data.text = load_study_text(command, is_quick(Task::language));
  if (has(Task::translate)) data.pairs = load_study_pairs(command, is_quick(Task::translate));
  for (const studies::language::Cell& cell : cells) make_run_config_with_data(cell, data);
  return data;
}

/// Checks that the existing study in the folder has the same tasks and the same protocol. The
/// argument `there` is the text of the folder's study.json.
void check_tasks(const StudyRunCommand& command, const std::string& there,
                 const studies::language::DataHashes& hashes) {
  const fs::path& out = command.out;
  check_study(out, there, WhichStudy::language);
  const auto in_folder = studies::language::parse_data_hashes(there, (out / "study.json").string());
  const bool same = std::ranges::equal(
      in_folder, hashes, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (!same)
    throw UsageError(fmt::format(
        "--out {} is the folder of a study of {}; expected a new folder, or {} {}", out.string(),
        tasks_text(in_folder, " and "), command.selection.cells.empty() ? "--tasks" : "cells of",
        tasks_text(in_folder, command.selection.cells.empty() ? "," : " and ")));
  if (!studies::language::has_same_protocol(there, studies::language::study_identity(hashes)))
    throw UsageError(fmt::format(
        "--out {} is the folder of a study whose cells another version of the program trained, "
        "with other settings; expected a new folder",
        out.string()));
}

/// Executes training runs in several phases, and counts the training runs that are finished.
class RunPhases {
 public:
  RunPhases(const StudyRunCommand& command, const studies::published::Store& store,
            const studies::language::StudyData& data)
      : command_(command), store_(store), data_(data) {}

  void run(const char* what, const LanguageCells& cells) {
    std::vector<studies::published::Task> tasks;
    for (const studies::language::Cell& cell : cells)
      tasks.push_back({cell_name(cell), cost(cell)});
    const studies::published::JobsSummary done = studies::published::run_tasks(
        store_, std::move(tasks),
        [&](const std::string& name) {
          if (command_.device && !opened_) opened_ = open_rank_device(*command_.device);
          return result_line(studies::language::run_cell(
              studies::language::parse_cell(name), data_,
              {.folder = command_.out, .after_step = {}, .device = opened_.get()}));
        },
        {.jobs = command_.job_count(),
         .progress = [&](const studies::published::JobsProgress& progress) {
           bar_.show(
               what, progress.done, progress.tasks,
               fmt::format("{} left, {}", duration_text(progress.seconds_left), progress.name));
         }});
    total_.tasks += done.tasks;
    total_.done_before += done.done_before;
    total_.done_here += done.done_here;
    total_.done_elsewhere += done.done_elsewhere;
  }

  const studies::published::JobsSummary& total() const { return total_; }

 private:
  const StudyRunCommand& command_;
  const studies::published::Store& store_;
  const studies::language::StudyData& data_;
  ProgressBar bar_;
  /// The device. The first training run of a worker process opens it, because a process with an
  /// open GPU cannot fork.
  std::unique_ptr<normproof::gpu::device::Device> opened_;
  studies::published::JobsSummary total_;
};

/// Executes the training runs that the user names. Tests run last, since a test may use the model
/// that was trained for a validation.
void run_named_cells(RunPhases& phases, const LanguageCells& cells) {
  for (const bool tested : {false, true}) {
    LanguageCells phase_cells;
    std::ranges::copy_if(cells, std::back_inserter(phase_cells),
                         [=](const studies::language::Cell& cell) {
                           return (cell.purpose == studies::language::RunPurpose::test) == tested;
                         });
    if (!phase_cells.empty()) phases.run("cells", phase_cells);
  }
}

void run_selected_cells(RunPhases& phases, const StudyRunCommand& command,
                        const studies::language::Selection& selection,
                        const studies::published::Store& store) {
  phases.run("choosing rates", rate_selection_cells(selection));
  const studies::language::Results results = read_language_results(command.out, store);
  std::error_code ignored;
  for (const studies::language::Cell& cell : list_cells_at_rejected_rates(selection, results))
    fs::remove_all(studies::language::run_folder(command.out, cell), ignored);
  phases.run("testing", test_cells(selection, results));
  phases.run("tracing norms", dynamics_cells(selection, results));
}

studies::language::DataHashes read_data_hashes(const fs::path& out,
                                               const studies::published::Store& store) {
  const std::string identity = store.identity();
  check_study(out, identity, WhichStudy::language);
  return studies::language::parse_data_hashes(identity, (out / "study.json").string());
}

/// Checks that every result was computed from the data of its task.
void check_language_data(const fs::path& out, const studies::published::Store& store,
                         const studies::language::DataHashes& hashes) {
  store.check_data([&](const std::string& name) {
    for (const auto& [task, sha256] : hashes)
      if (name.starts_with(ref::model::print_field(task) + "/")) return sha256;
    throw ref::numeric::FileError(
        fmt::format("{}: {} is of no task of the study; expected cells of {}",
                    (out / "results.jsonl").string(), name, tasks_text(hashes, " and ")));
  });
}

std::string counts_text(const studies::published::JobsSummary& done) {
  return fmt::format("{}: {} done before, {} here, {} elsewhere\n", plural(done.tasks, "cell"),
                     done.done_before, done.done_here, done.done_elsewhere);
}

}  // namespace

studies::language::Results read_language_results(const fs::path& out,
                                                 const studies::published::Store& store) {
  check_language_data(out, store, read_data_hashes(out, store));
  return studies::language::read_results(store.results(), (out / "results.jsonl").string());
}

bool has_only_quick_cells(const studies::language::Results& results) {
  return !results.empty() && std::ranges::all_of(results, [](const auto& named) {
    return named.second.cell.size == studies::language::Size::quick;
  });
}

std::vector<training::Task> read_language_tasks(const fs::path& out,
                                                const studies::published::Store& store) {
  std::vector<training::Task> tasks;
  for (const auto& [task, sha256] : read_data_hashes(out, store)) tasks.push_back(task);
  return tasks;
}

Output run_language_study(const StudyRunCommand& command) {
  refuse_options(command);
  const LanguageCells named = named_language_cells(command.selection);
  StudySelection selection = command.selection;
  selection.tasks = requested_tasks(command, named);
  const LanguageCells first = list_language_cells(selection, {});
  const studies::language::StudyData data = load_language_data(command, *selection.tasks, first);
  command.try_device_in_child();
  const studies::language::DataHashes hashes = data_hashes(*selection.tasks, data);
  const studies::published::Store store = open_store(command.out);
  store.begin(studies::language::study_identity(hashes),
              [&](const std::string& there) { check_tasks(command, there, hashes); });
  check_language_data(command.out, store, hashes);
  RunPhases phases(command, store, data);
  if (named.empty())
    run_selected_cells(phases, command, selection.language_selection(), store);
  else
    run_named_cells(phases, named);
  std::error_code ignored;
  fs::remove(command.out / "runs", ignored);  // fails if a training run still has its folder
  // only rank 0 prints the summary
  if (support::process::rank().value_or(0) != 0) return printed("");
  const studies::published::JobsSummary& done = phases.total();
  const std::string sha256 = studies::language::results_sha256(store.results());
  const nlohmann::ordered_json counts = {{"cells", done.tasks},
                                         {"done_before", done.done_before},
                                         {"done_here", done.done_here},
                                         {"done_elsewhere", done.done_elsewhere},
                                         {"sha256", sha256}};
  return printed(command.json ? counts.dump(1) + "\n"
                              : fmt::format("{}sha256 {}\n", counts_text(done), sha256));
}

Output report_language_study(const fs::path& out, bool json) {
  const studies::published::Store store = open_store(out);
  const studies::language::Results results = read_language_results(out, store);
  if (results.empty())
    throw ref::numeric::FileError(
        fmt::format("{}: holds no result; expected some of 'normproof study run --study language'",
                    (out / "results.jsonl").string()));
  const std::string sha256 = studies::language::results_sha256(store.results());
  write_report(out, language_document(results, sha256));
  if (json) return printed(language_summary(results, sha256).dump(1) + "\n");
  std::string text =
      fmt::format("{}: {} and report.md\nsha256 {}\n", plural(results.size(), "cell"),
                  (out / "report.html").string(), sha256);
  for (const auto& condition : list_conditions(results))
    for (const studies::published::Statement& statement :
         studies::language::statements(condition.task)) {
      const studies::published::Finding finding = find(statement.id, results, condition);
      text += fmt::format("{}: {}: {}{}\n", condition_name(condition), statement.text,
                          verdict_name(finding.verdict),
                          finding.numbers.empty() ? "" : fmt::format(" ({})", finding.numbers));
    }
  return printed(text);
}

}  // namespace normproof::verification::cli::study
