#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::verification::golden::certify {

/// The semantic version of a corpus, derived from its ledger. An implementation that passes one
/// version passes every later version with the same `major`, provided that it passes the new cases.
struct CorpusVersion {
  std::size_t major = 1;  ///< incremented if a blessing changes or removes a case
  std::size_t minor = 0;  ///< incremented if a blessing only adds cases
  std::size_t patch = 0;  ///< incremented if a blessing only changes descriptions
  std::string hash = {};  ///< the first 12 digits of the SHA-256 of manifest.json

  std::string number() const;  ///< "2.4.0"
  std::string text() const;    ///< "2.4.0+6f201482ba21": the version with its build, as in semver

  /// Whether a text such as "2", "2.4", "2.4.0" or the whole text() denotes this version.
  bool is_denoted_by(std::string_view asked) const;
  bool is_older_than(const CorpusVersion& other) const;
};

/// Computes  the version after the last line. The first line sets 1.0.0 or the version that it
///           names (a corpus of `golden make` names the version of the library that made it)
/// Throws    FileError that names `file` if a line is invalid
CorpusVersion parse_ledger_version(std::string_view ledger, const std::string& file);

/// Returns the version of the corpus in a folder, as accepted by list_corpus.
/// Throws    FileError
CorpusVersion corpus_version(const std::filesystem::path& folder);

/// Returns the version of the corpus with which this library was built; its recipes make that
/// version.
CorpusVersion built_corpus_version();

/// Returns BLESSINGS.jsonl as it was when this library was built.
std::string_view built_ledger();

}  // namespace normproof::verification::golden::certify
