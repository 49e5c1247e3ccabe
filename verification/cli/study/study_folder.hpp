#pragma once

#include <filesystem>
#include <string>

#include "verification/cli/study/study_selection.hpp"
#include "verification/studies/published/convergence.hpp"
#include "verification/studies/published/store.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the store of a study's folder, which reports repairs on standard error.
studies::published::Store open_store(const std::filesystem::path& out);

/// Checks that the text of a study.json belongs to this study.
/// Throws    UsageError if it belongs to the other study
void check_study(const std::filesystem::path& out, const std::string& text, WhichStudy study);

/// Parses the text of study.json.
studies::published::Identity read_identity(const std::filesystem::path& out,
                                           const std::string& text);

/// The results of a folder, all computed from the data of its study.json, and the classes of that
/// data.
struct StudyContents {
  studies::published::ClassCounts classes;
  studies::published::Results results;
};

/// Reads the results of a folder.
/// Throws    FileError
StudyContents read_contents(const std::filesystem::path& out,
                            const studies::published::Store& store);

/// Writes report.html, report.md and the pictures of a document into the folder.
/// Throws    FileError
void write_report(const std::filesystem::path& out, const support::report::Document& document);

/// Writes "80 s", "12 min" or "3.5 h".
std::string duration_text(double seconds);

}  // namespace normproof::verification::cli::study
