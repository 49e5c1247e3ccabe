#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::verification::golden::certify {

/// The semantic version of a corpus, derived from its list of changes (BLESSINGS.jsonl). If an
/// implementation passes the cases of one version, it also passes these cases in every later
/// version with the same `major`.
struct CorpusVersion {
  std::size_t major = 1;  ///< incremented by a change that changes or removes a case
  std::size_t minor = 0;  ///< incremented by a change that only adds cases
  std::size_t patch = 0;  ///< incremented by a change that only changes descriptions
  std::string hash = {};  ///< the first 12 hexadecimal digits of the SHA-256 of manifest.json

  std::string number() const;  ///< such as "2.4.0"
  /// The version number and the first digits of the SHA-256 of manifest.json, in the form of
  /// semantic versioning, such as "2.4.0+6f201482ba21".
  std::string text() const;

  /// Whether a text such as "2", "2.4", "2.4.0" or the whole text() stands for this version.
  bool matches_version_text(std::string_view asked) const;
  bool is_older_than(const CorpusVersion& other) const;
};

/// Returns the version of a corpus from the text of its BLESSINGS.jsonl.
/// Computes  the version after the last line. The first line sets the version 1.0.0 or the version
///           that it contains. (The first line of a corpus that `golden make` wrote contains the
///           version of the library that made it)
/// Throws    FileError that names `file` if a line is invalid
CorpusVersion parse_ledger_version(std::string_view ledger, const std::string& file);

/// Returns the version of the corpus in `folder`. The folder is the one that list_corpus accepts.
/// Throws    FileError
CorpusVersion corpus_version(const std::filesystem::path& folder);

/// Returns the version of the corpus that this library makes. It was read from BLESSINGS.jsonl when
/// the library was built.
CorpusVersion built_corpus_version();

/// Returns the text of BLESSINGS.jsonl as it was when this library was built.
std::string_view ledger_at_build();

}  // namespace normproof::verification::golden::certify
