#pragma once

#include <filesystem>
#include <vector>

#include "verification/cli/command.hpp"
#include "verification/cli/study/study_run.hpp"
#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/store.hpp"

namespace normproof::verification::cli::study {

/// Executes the command `study run --study language`. It first executes the training runs that
/// choose the learning rates, then the tests at these rates. Results that the folder already has
/// are not computed again. With the option --cells, it executes only the training runs that the
/// option names.
/// Throws    UsageError, FileError, std::runtime_error
Output run_language_study(const StudyRunCommand& command);

/// Executes the command `study report --study language`: writes report.html, and report.md with its
/// pictures, into the folder.
/// Throws    FileError
Output report_language_study(const std::filesystem::path& out, bool json);

/// Reads the results in a folder. Every result must have been computed from the data that the
/// folder's study.json describes.
/// Throws    FileError
studies::language::Results read_language_results(const std::filesystem::path& out,
                                                 const studies::published::Store& store);

/// Whether there are results, and all of them come from quick training runs.
bool has_only_quick_cells(const studies::language::Results& results);

/// Returns the tasks that the study.json of a folder names.
/// Throws    FileError
std::vector<training::Task> read_language_tasks(const std::filesystem::path& out,
                                                const studies::published::Store& store);

}  // namespace normproof::verification::cli::study
