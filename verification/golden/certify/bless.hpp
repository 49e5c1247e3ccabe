#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {

/// The differences between an old and a new corpus. `added` and `removed` list the paths of cases;
/// `changed` has one sentence per case. All three are sorted by path.
struct CorpusDifference {
  std::vector<std::string> added, removed, changed;

  bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
};

struct BlessOptions {
  std::vector<Tier> tiers = {};  ///< tiers to make in addition to those that the corpus has
  /// Globs that select the cases to make. They are used for a corpus that has only some of the
  /// cases.
  corpus::PathGlobs only = {};
  int jobs = 1;
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> finished = {};
  /// Receives the difference and returns the reason for the change. If it returns "", the corpus is
  /// left unchanged.
  std::function<std::string(const CorpusDifference& difference)> reason = {};
};

/// Makes the corpus again, replaces the old files by the new ones, and appends a line to the
/// corpus' list of changes, the file BLESSINGS.jsonl.
///
/// Computes  the new corpus in a temporary folder next to the old one. The two folders then
///           exchange their names in one atomic step. If there is no old folder, it counts as a
///           corpus without cases
/// Returns   the difference. The corpus has changed if the difference is not empty and a reason was
///           given
/// Throws    UsageError if the environment variable CI is set; FileError if the corpus is damaged
///           or a file cannot be written
CorpusDifference bless(const std::filesystem::path& golden, const BlessOptions& options);

}  // namespace normproof::verification::golden::certify
