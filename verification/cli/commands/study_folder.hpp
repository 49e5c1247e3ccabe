#pragma once

#include <filesystem>
#include <string>

#include "verification/cli/commands/study_selection.hpp"
#include "verification/report/document.hpp"
#include "verification/study/convergence.hpp"
#include "verification/study/store.hpp"
#include "verification/study/tables.hpp"

namespace normproof::verification::cli::commands {

/// Returns the store of a study's folder, which reports repairs on standard error.
study::Store store_of(const std::filesystem::path& out);

/// Checks that the text of a study.json belongs to this study.
/// Throws    UsageError if it belongs to the other study
void check_study(const std::filesystem::path& out, const std::string& text, WhichStudy study);

/// Parses the text of study.json.
study::Identity read_identity(const std::filesystem::path& out, const std::string& text);

/// The results of a folder, all computed from the data of its study.json, and the classes of that
/// data.
struct StudyContents {
  study::ClassCounts classes;
  study::Results results;
};

/// Reads the results of a folder.
/// Throws    FileError
StudyContents read_contents(const std::filesystem::path& out, const study::Store& store);

/// Writes report.html, report.md and the pictures of a document into the folder.
/// Throws    FileError
void write_report(const std::filesystem::path& out, const report::Document& document);

/// Writes "80 s", "12 min" or "3.5 h".
std::string duration_text(double seconds);

}  // namespace normproof::verification::cli::commands
