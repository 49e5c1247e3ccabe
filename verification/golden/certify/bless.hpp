#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {

/// What a new corpus would change: one sentence per case, in ascending order of paths.
struct CorpusDifference {
  std::vector<std::string> added, removed, changed;

  bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
};

struct BlessOptions {
  std::vector<Tier> tiers = {};  ///< tiers to add to those of the corpus
  corpus::PathGlobs only = {};   ///< the cases to make, if the corpus holds only a part
  int jobs = 1;
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> finished = {};
  /// Gets the difference and returns the reason for it; "" leaves everything unchanged.
  std::function<std::string(const CorpusDifference& difference)> reason = {};
};

/// Makes the corpus again and replaces the old one by it, with a new line in kBlessings.
///
/// Computes  the new corpus in a folder next to the old one; then the two folders exchange their
///           names in one atomic step. An absent folder counts as a corpus without cases
/// Returns   the difference; the corpus has changed if it is not empty and a reason was given
/// Throws    UsageError if the environment variable CI is set; FileError if the corpus is damaged
///           or a file cannot be written
CorpusDifference bless(const std::filesystem::path& golden, const BlessOptions& options);

}  // namespace normproof::verification::golden::certify
