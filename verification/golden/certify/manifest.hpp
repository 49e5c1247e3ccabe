#pragma once

#include <string>
#include <vector>

#include "ref/io/content_sha256.hpp"
#include "verification/golden/certify/certificate.hpp"

namespace normproof::verification::golden::certify {

inline constexpr const char* kCaseFormat = "normproof-golden-case-1";
inline constexpr const char* kManifestFormat = "normproof-golden-1";

using ref::io::content_sha256;

/// Returns the entry of a case in manifest.json: one object with keys in ascending order
/// (docs/guide/formats.md, Golden).
std::string case_json(const Case& c, const Expected& expected);

/// Returns the text of case.json: the part of the entry that a candidate needs, in one line. How
/// the case was certified is stated in manifest.json only.
/// Requires  a text that case_json has written
std::string case_file(const std::string& case_text);

/// A case as read from manifest.json, without its inputs.
struct CaseDescription {
  std::string path;
  Case c;
  double condition = 1;  ///< condition_number, to three digits
  /// The names of the expected outputs, in ascending order.
  std::vector<std::string> outputs;
  std::string case_text;                                 ///< the text of case_json
  std::string file_text;                                 ///< the text of case.json
  std::string inputs_sha256, expected_sha256;            ///< SHA-256 of the tensors
  std::string inputs_file_sha256, expected_file_sha256;  ///< SHA-256 of the files, from check_sums
};

/// Returns manifest.json: the entries of the cases in ascending order of paths, and totals.
/// Requires  texts that case_json has written, in ascending order of paths
std::string manifest_json(const std::vector<std::string>& case_texts);

/// Reads the cases of a manifest.
/// Throws    FileError that names `file`, the field and the expectation: another format, totals
///           that disagree with the cases, a path that is repeated or out of order
std::vector<CaseDescription> parse_manifest(std::string_view text, const std::string& file);

}  // namespace normproof::verification::golden::certify
