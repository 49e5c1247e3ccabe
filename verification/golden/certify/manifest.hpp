#pragma once

#include <string>
#include <vector>

#include "ref/io/content_sha256.hpp"
#include "verification/golden/certify/certificate.hpp"

namespace normproof::verification::golden::certify {

inline constexpr const char* kCaseFormat = "normproof-golden-case-1";
inline constexpr const char* kManifestFormat = "normproof-golden-1";

using ref::io::content_sha256;

/// Returns the entry of a case in manifest.json: one JSON object with sorted keys
/// (docs/guide/formats.md, Golden).
std::string manifest_entry_text(const Case& c, const Expected& expected);

/// Returns the text of case.json: the part of the entry that a candidate needs, in one line. Only
/// manifest.json also says how the case was certified.
/// Requires  `case_text` was written by manifest_entry_text
std::string case_file_text(const std::string& case_text);

/// The description of a case in manifest.json, without its tensors.
struct CaseDescription {
  std::string path;
  Case c;
  double condition = 1;  ///< condition_number, rounded to three digits
  /// The names of the expected outputs, sorted.
  std::vector<std::string> outputs;
  std::string case_text;                       ///< the text of manifest_entry_text
  std::string file_text;                       ///< the text of case.json
  std::string inputs_sha256, expected_sha256;  ///< SHA-256 of the tensors
  std::string inputs_file_sha256,
      expected_file_sha256;  ///< SHA-256 of the files, from check_checksums
};

/// Returns the text of manifest.json: the entries of the cases, sorted by path, and totals.
/// Requires  the texts were written by manifest_entry_text and are sorted by path
std::string manifest_json(const std::vector<std::string>& case_texts);

/// Reads the cases of a manifest.
/// Throws    FileError that names `file`, the field and the expected value, if the manifest has
///           another format, if its totals disagree with its cases, or if a path is repeated or not
///           in order
std::vector<CaseDescription> parse_manifest(std::string_view text, const std::string& file);

}  // namespace normproof::verification::golden::certify
