#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace normproof::verification::golden::certify {

/// The file that lists all changes of a corpus (the ledger). It has one JSON object per line for
/// each change, starting with the creation of the corpus. The last line contains the hashes of the
/// current files.
inline constexpr const char* kLedgerFile = "BLESSINGS.jsonl";

/// One line of the list of changes of a corpus. `manifest_before` and `manifest_after` are the
/// SHA-256 of manifest.json before and after the change; `manifest_before` is "" if there was no
/// file. `sums_after` is the SHA-256 of SHA256SUMS after the change.
struct Blessing {
  std::string reason = {};
  std::size_t added = 0, removed = 0, changed = 0;  ///< numbers of cases
  std::string manifest_before = {}, manifest_after = {}, sums_after = {};
  /// The initial version of the corpus. Only the first line has it, and "" means 1.0.0.
  std::string version = {};
};

std::string blessing_line(const Blessing& blessing);

/// Checks the list of changes of a corpus: each line must start from the hash with which the
/// previous line ends, and the last line must have the hashes of the current files.
/// Returns   the text of BLESSINGS.jsonl
/// Throws    FileError if BLESSINGS.jsonl is absent or damaged, if a line does not start from the
///           manifest with which the previous line ends, or if the hash of manifest.json or
///           SHA256SUMS differs from the hash in the last line
std::string check_blessed(const std::filesystem::path& golden, const std::string& manifest_text);

}  // namespace normproof::verification::golden::certify
