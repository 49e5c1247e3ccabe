#include "verification/cli/study/study_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "gpu/device/device_choice.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/shared_options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/study/study_folder.hpp"
#include "verification/cli/study/study_language_run.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/studies/published/cell_run.hpp"
#include "verification/studies/published/jobs.hpp"
#include "verification/support/process/rank.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::study {

using ref::numeric::UsageError;
using support::report::plural;

namespace {

/// Opens the device and closes it again, so that a failure is reported early. A rank of mpirun
/// prints which device it uses.
void try_device(normproof::gpu::device::Backend backend) {
  open_rank_device(backend);
  const auto rank = support::process::rank();
  if (!rank) return;
  const std::size_t devices = normproof::gpu::device::device_count(backend);
  write_stderr(
      fmt::format("rank {}: device {} of {}, {}\n", *rank,
                  normproof::gpu::device::device_of_rank(support::process::local_rank(), devices),
                  devices, to_string(backend)));
}

training::Dataset load_study_data(const train::TrainingSource& source) {
  training::RunConfig config = train::load_config(source);
  return train::load_training_data(source, config).data;
}

}  // namespace

void StudyRunCommand::add(CLI::App& app) {
  selection.add(app);
  train::add_training_data(app, source);
  add_folder_option(app, "--pairs", pairs,
                    "For language models: the folder of the pairs that translators are trained on");
  train::add_languages(app, source.languages);
  add_jobs_option(app, jobs, "Cells to compute");
  add_device_or_processor_option(app, device,
                                 "The device that trains, except for cells with dynamics");
  require(add_folder_option(app, "--out", out, "The folder of the study; created, or resumed"));
  add_json_flag(app, json);
  set_footer(
      app,
      R"(Under mpirun or on a GPU the default of --jobs is 1. A rank uses the device whose number is its own
number on its machine, modulo the number of devices there. The bits of a result depend neither on
--jobs nor on --device. With --study language, --data is a text in UTF-8, and --pairs, --source and
--target are the --data, --source and --target of normproof train --task translate. The cells of a
task need its data. Quick ones use a synthetic text and synthetic pairs by default.

Examples:
  normproof study run --out s --quick
  normproof study run --out s --data Sentences_AllAgree.txt --vocab vocab.txt --tables 1,4
  normproof study run --study language --out s --data input.txt
  normproof study run --study language --out s --pairs small_parallel_enja --source ja --target en)");
}

int StudyRunCommand::job_count() const {
  if (jobs) return *jobs;
  return support::process::rank() || device == normproof::gpu::device::Backend::cuda
             ? 1
             : processor_count();
}

void StudyRunCommand::try_device_in_child() const {
  if (device) studies::published::try_in_child([&] { try_device(*device); });
}

Output StudyRunCommand::run() const {
  if (selection.study == WhichStudy::language) return run_language_study(*this);
  if (pairs) throw UsageError("--pairs is given; expected none with --study published");
  const std::vector<studies::published::Cell> cells = select_cells(selection);
  std::vector<studies::published::Task> tasks;
  tasks.reserve(cells.size());
  for (const studies::published::Cell& cell : cells) {
    studies::published::make_run_config(cell);  // throws here if the training run is impossible
    tasks.push_back({cell_name(cell), cost(cell)});
  }
  const training::Dataset data = load_study_data(source);
  try_device_in_child();
  const studies::published::Store store = open_store(out);
  const std::string identity = studies::published::study_identity(data);
  store.begin(identity, [&](const std::string& there) { read_identity(out, there); });
  store.check_data(read_identity(out, identity).data_sha256);
  ProgressBar bar;
  // Opened by the first training run of a worker process, because a process with an open GPU cannot
  // fork.
  std::unique_ptr<normproof::gpu::device::Device> opened;
  const studies::published::JobsSummary done = studies::published::run_tasks(
      store, std::move(tasks),
      [&](const std::string& cell) {
        if (device && !opened) opened = open_rank_device(*device);
        return result_line(
            studies::published::run_cell(studies::published::parse_cell(cell), data,
                                         {.device = opened.get(), .after_step = {}}));
      },
      {.jobs = job_count(), .progress = [&](const studies::published::JobsProgress& progress) {
         bar.show("cells", progress.done, progress.tasks,
                  fmt::format("{} left, {}", duration_text(progress.seconds_left), progress.name));
       }});
  // only rank 0 prints the summary
  if (support::process::rank().value_or(0) != 0) return printed("");
  const nlohmann::ordered_json counts = {{"cells", done.tasks},
                                         {"done_before", done.done_before},
                                         {"done_here", done.done_here},
                                         {"done_elsewhere", done.done_elsewhere}};
  return printed(json ? counts.dump(1) + "\n"
                      : fmt::format("{}: {} done before, {} here, {} elsewhere\n",
                                    plural(done.tasks, "cell"), done.done_before, done.done_here,
                                    done.done_elsewhere));
}

}  // namespace normproof::verification::cli::study
