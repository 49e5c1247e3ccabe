#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/certify/manifest.hpp"

namespace normproof::verification::golden::certify {

/// The name of the file that contains the SHA-256 of every other file of a corpus except
/// BLESSINGS.jsonl. It has one line per file in the format of the tool sha256sum.
inline constexpr const char* kSumsFile = "SHA256SUMS";

/// The SHA-256 of each file, by its path relative to the corpus.
using Sums = std::map<std::string, std::string>;

/// Returns the text of SHA256SUMS: one line per file, sorted by path.
std::string checksums_text(const Sums& sums);

/// Reads the text of SHA256SUMS.
/// Throws    FileError that names `file` and the line, if a line does not consist of 64 digits, two
///           spaces and a path, if a path is repeated, or if the file is truncated
Sums parse_checksums(std::string_view text, const std::string& file);

/// Checks SHA256SUMS against the manifest. There must be a line for manifest.json and for each of
/// the three files of every case.
///
/// Computes  the text of SHA256SUMS, and the expected sums of the files, which are stored in
///           `cases`. The expected text of case.json is the one that case_file_text returns. In a
///           corpus written by an old version, it is the one that manifest_entry_text returns
/// Throws    FileError that names the line, if a line is missing, if a line names a file that does
///           not belong to the corpus, or if its SHA-256 contradicts manifest.json or a case.json
std::string check_checksums(const std::filesystem::path& folder, std::string_view manifest_text,
                            std::vector<CaseDescription>& cases);

}  // namespace normproof::verification::golden::certify
