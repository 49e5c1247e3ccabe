#pragma once

#include <filesystem>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_run.hpp"
#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/store.hpp"

namespace normproof::verification::cli::study {

/// `study run --study language`: the cells that choose the rates, then those that are tested at
/// them, each where the folder does not have it; of --cells those that are named.
/// Throws    UsageError, FileError, std::runtime_error
Output run_language_study(const StudyRunCommand& command);

/// `study report --study language`: report.html, report.md and its pictures in the folder.
/// Throws    FileError
Output report_language_study(const std::filesystem::path& out, bool json);

/// The results of a folder, all of them of the data of its study.json.
/// Throws    FileError
studies::language::Results read_language_results(const std::filesystem::path& out,
                                                 const studies::published::Store& store);

/// Whether there are results, all of quick cells.
bool has_quick_alone(const studies::language::Results& results);

/// The tasks of the study.json of a folder.
/// Throws    FileError
std::vector<training::Task> language_tasks_of(const std::filesystem::path& out,
                                              const studies::published::Store& store);

}  // namespace normproof::verification::cli::study
