#pragma once

#include <string>
#include <vector>

#include "ref/io/content_sha256.hpp"
#include "verification/golden/certify/certificate.hpp"

namespace normproof::verification::golden::certify {

inline constexpr const char* kCaseFormat = "normproof-golden-case-1";
inline constexpr const char* kManifestFormat = "normproof-golden-1";

using ref::io::content_sha256;

/// What manifest.json holds of a case: keys in ascending order, one object (docs/guide/formats.md,
/// Golden).
std::string case_json(const Case& c, const Expected& expected);

/// case.json: what of that a candidate is asked, in one line; how it was certified is said once.
/// Requires  a text that case_json has written
std::string case_file(const std::string& case_text);

/// A case as it was read back: the inputs are not in manifest.json.
struct CaseDescription {
  std::string path;
  Case c;
  double condition = 1;                                  ///< condition_number, to three digits
  std::vector<std::string> outputs;                      ///< what is expected, in ascending order
  std::string case_text;                                 ///< of case_json
  std::string file_text;                                 ///< of case.json
  std::string inputs_sha256, expected_sha256;            ///< of the tensors
  std::string inputs_file_sha256, expected_file_sha256;  ///< of the files, by check_sums
};

/// manifest.json: the cases' objects in ascending order of paths, and totals.
/// Requires  texts that case_json has written, in ascending order of paths
std::string manifest_json(const std::vector<std::string>& case_texts);

/// The cases that a manifest names.
/// Throws    FileError that names `file`, the field and the expectation: another format, totals
///           that disagree with the cases, a path twice or out of order
std::vector<CaseDescription> parse_manifest(std::string_view text, const std::string& file);

}  // namespace normproof::verification::golden::certify
