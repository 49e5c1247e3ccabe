#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace normproof::verification::golden::certify {

/// The ledger of a corpus: one JSON object per line for every change, starting with its creation.
/// The last line identifies the current files.
inline constexpr const char* kBlessings = "BLESSINGS.jsonl";

/// One line of the ledger: what changed, the SHA-256 of manifest.json before ("" if there was none)
/// and after the change, and that of SHA256SUMS after it.
struct Blessing {
  std::string reason = {};
  std::size_t added = 0, removed = 0, changed = 0;  ///< numbers of cases
  std::string manifest_before = {}, manifest_after = {}, sums_after = {};
  std::string version = {};  ///< the initial version (first line only); empty means 1.0.0
};

std::string blessing_line(const Blessing& blessing);

/// Checks that the lines follow from each other and that the last one matches the corpus.
/// Computes  the text of kBlessings
/// Throws    FileError: the file is absent or damaged, a line does not start from the manifest with
///           which the previous line ends, or the last line names another manifest.json or
///           SHA256SUMS
std::string check_blessed(const std::filesystem::path& golden, const std::string& manifest_text);

}  // namespace normproof::verification::golden::certify
