#pragma once

#include <filesystem>
#include <string>

#include "verification/cli/study/study_selection.hpp"
#include "verification/studies/published/convergence.hpp"
#include "verification/studies/published/store.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// The folder of a study, which says on standard error what it mends.
studies::published::Store store_of(const std::filesystem::path& out);

/// Throws    UsageError where study.json, whose text is given, is that of the other study
void check_study(const std::filesystem::path& out, const std::string& text, WhichStudy study);

/// What the text of study.json says.
studies::published::Identity read_identity(const std::filesystem::path& out,
                                           const std::string& text);

/// The results of a folder, all of them of the data of its study.json, and the classes of that.
struct StudyContents {
  studies::published::ClassCounts classes;
  studies::published::Results results;
};

/// Throws    FileError
StudyContents read_contents(const std::filesystem::path& out,
                            const studies::published::Store& store);

/// Writes report.html, report.md and the pictures of a document in the folder.
/// Throws    FileError
void write_report(const std::filesystem::path& out, const support::report::Document& document);

/// "80 s", "12 min", "3.5 h"
std::string duration_text(double seconds);

}  // namespace normproof::verification::cli::study
