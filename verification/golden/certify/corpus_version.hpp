#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace normproof::verification::golden::certify {

/// The semantic version of a corpus, read off its ledger: who has held an implementation against
/// one version passes the next where `major` is the same and its new cases pass.
struct CorpusVersion {
  std::size_t major = 1;  ///< grows where a blessing changes or removes a case
  std::size_t minor = 0;  ///< grows where one adds cases alone
  std::size_t patch = 0;  ///< grows where one changes words alone
  std::string hash = {};  ///< the first 12 digits of the SHA-256 of manifest.json

  std::string number() const;  ///< "2.4.0"
  std::string text() const;    ///< "2.4.0+6f201482ba21": semver's number with its build

  /// Whether a text such as "2", "2.4", "2.4.0" or the whole of it means this version.
  bool meets(std::string_view asked) const;
  bool is_behind(const CorpusVersion& other) const;
};

/// Computes  the version after the last line: the first makes 1.0.0, or the version that it names
///           (what `golden make` has made is of the version of the library that made it)
/// Throws    FileError that names `file` where a line is none
CorpusVersion version_of_ledger(std::string_view ledger, const std::string& file);

/// Of the corpus in a folder that list_corpus takes.
/// Throws    FileError
CorpusVersion corpus_version(const std::filesystem::path& folder);

/// Of the corpus that this library was built beside: its recipes make that version.
CorpusVersion built_corpus_version();

/// BLESSINGS.jsonl as it was when this library was built.
std::string_view built_ledger();

}  // namespace normproof::verification::golden::certify
