#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/certify/manifest.hpp"

namespace normproof::verification::golden::certify {

/// The file of a corpus with a line for each other one but kBlessings, as sha256sum writes it.
inline constexpr const char* kSums = "SHA256SUMS";

/// The SHA-256 of each file, by its path from the corpus.
using Sums = std::map<std::string, std::string>;

/// A line a file, in ascending order of the paths.
std::string sums_text(const Sums& sums);

/// Throws    FileError naming `file` and the line: not 64 digits, two spaces and a path; a path
///           twice; cut off
Sums parse_sums(std::string_view text, const std::string& file);

/// Holds SHA256SUMS against the manifest: a line for that, and for the three files of each case.
///
/// Computes  what the files have to be, into the cases: case.json is case_file, or in a corpus of a
///           former version case_json; the text of SHA256SUMS
/// Throws    FileError naming the line: missing, of a file that is none of the corpus, another
///           SHA-256 than that of manifest.json or of a case.json
std::string check_sums(const std::filesystem::path& folder, std::string_view manifest_text,
                       std::vector<CaseDescription>& cases);

}  // namespace normproof::verification::golden::certify
