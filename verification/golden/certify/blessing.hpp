#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace normproof::verification::golden::certify {

/// The file of a corpus in which every change of it stands, an object of JSON a line, the making
/// first. The last line names the files that are there.
inline constexpr const char* kBlessings = "BLESSINGS.jsonl";

/// A line of it: what changed, and the SHA-256 of manifest.json before, "" for none, and after, and
/// of SHA256SUMS after.
struct Blessing {
  std::string reason = {};
  std::size_t added = 0, removed = 0, changed = 0;  ///< cases
  std::string manifest_before = {}, manifest_after = {}, sums_after = {};
  std::string version = {};  ///< of the first line: where the versions begin; empty: with 1.0.0
};

std::string blessing_line(const Blessing& blessing);

/// Holds the lines against each other and the last one against the corpus.
/// Computes  the text of kBlessings
/// Throws    FileError: the file is absent or damaged, a line does not begin with the manifest that
///           the one before ends with, or the last names another manifest.json or SHA256SUMS
std::string check_blessed(const std::filesystem::path& golden, const std::string& manifest_text);

}  // namespace normproof::verification::golden::certify
