#pragma once

#include <filesystem>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_run.hpp"
#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/store.hpp"

namespace normproof::verification::cli::study {

/// Runs `study run --study language`: the cells that choose the rates, then the tests at those
/// rates, if the folder does not have them; with --cells only the named ones.
/// Throws    UsageError, FileError, std::runtime_error
Output run_language_study(const StudyRunCommand& command);

/// Runs `study report --study language`: writes report.html, report.md and its pictures into the
/// folder.
/// Throws    FileError
Output report_language_study(const std::filesystem::path& out, bool json);

/// Reads the results of a folder, which must all be computed from the data of its study.json.
/// Throws    FileError
studies::language::Results read_language_results(const std::filesystem::path& out,
                                                 const studies::published::Store& store);

/// Whether there are results, and all are of quick cells.
bool has_only_quick_cells(const studies::language::Results& results);

/// Returns the tasks in the study.json of a folder.
/// Throws    FileError
std::vector<training::Task> read_language_tasks(const std::filesystem::path& out,
                                                const studies::published::Store& store);

}  // namespace normproof::verification::cli::study
