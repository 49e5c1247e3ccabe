#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/certify/manifest.hpp"

namespace normproof::verification::golden::certify {

/// The file of a corpus with one line for each other file except kBlessings, in the format of
/// sha256sum.
inline constexpr const char* kSums = "SHA256SUMS";

/// The SHA-256 of each file, by its path relative to the corpus.
using Sums = std::map<std::string, std::string>;

/// Returns one line per file, in ascending order of paths.
std::string sums_text(const Sums& sums);

/// Throws    FileError naming `file` and the line: not 64 digits, two spaces and a path; a repeated
///           path; a truncated file
Sums parse_sums(std::string_view text, const std::string& file);

/// Checks SHA256SUMS against the manifest: it must have a line for manifest.json and for the three
/// files of each case.
///
/// Computes  the text of SHA256SUMS, and the expected sums of the files, which are stored in
///           `cases`. case.json is case_file, or case_json in a corpus of a former version
/// Throws    FileError naming the line: missing, of a file that does not belong to the corpus, or
///           with a SHA-256 that contradicts manifest.json or a case.json
std::string check_sums(const std::filesystem::path& folder, std::string_view manifest_text,
                       std::vector<CaseDescription>& cases);

}  // namespace normproof::verification::golden::certify
