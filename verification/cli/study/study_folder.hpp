#pragma once

#include <filesystem>
#include <string>

#include "verification/cli/study/study_selection.hpp"
#include "verification/studies/published/convergence.hpp"
#include "verification/studies/published/store.hpp"
#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns the store of a study's folder. If the store repairs a file, it prints a warning on
/// standard error.
studies::published::Store open_store(const std::filesystem::path& out);

/// Checks that `text`, the content of a study.json, belongs to the study `study`.
/// Throws    UsageError if the text belongs to another study
void check_study(const std::filesystem::path& out, const std::string& text, WhichStudy study);

/// Parses `text`, the content of a study.json.
studies::published::Identity read_identity(const std::filesystem::path& out,
                                           const std::string& text);

/// The results in a folder, and the classes of the data. All results were computed from the data
/// that study.json describes.
struct StudyContents {
  studies::published::ClassCounts classes;
  studies::published::Results results;
};

/// Reads the results in a folder.
/// Throws    FileError
StudyContents read_contents(const std::filesystem::path& out,
                            const studies::published::Store& store);

/// Writes a document into the folder, as report.html and as report.md with its pictures.
/// Throws    FileError
void write_report(const std::filesystem::path& out, const support::report::Document& document);

/// Returns a duration as text: "80 s", "12 min" or "3.5 h".
std::string duration_text(double seconds);

}  // namespace normproof::verification::cli::study
