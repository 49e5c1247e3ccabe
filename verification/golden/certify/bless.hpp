#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {

/// What a new corpus would change, a sentence each, in ascending order of the paths.
struct CorpusDifference {
  std::vector<std::string> added, removed, changed;

  bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
};

struct BlessOptions {
  std::vector<Tier> tiers = {};  ///< besides those that the corpus has
  corpus::PathGlobs only = {};   ///< of a corpus that holds a part
  int jobs = 1;
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> finished = {};
  /// Sees the difference, and gives the reason for it; "" leaves everything as it is.
  std::function<std::string(const CorpusDifference& difference)> reason = {};
};

/// Makes the corpus again and puts it in the place of the old one, with a line more in kBlessings.
///
/// Computes  everything in a folder beside it; the two folders exchange their names in one step. A
///           folder that is absent is a corpus without cases
/// Returns   the difference; the corpus has changed if it is not empty and there was a reason
/// Throws    UsageError where the environment variable CI is set; FileError where the corpus is
///           damaged, or a file cannot be written
CorpusDifference bless(const std::filesystem::path& golden, const BlessOptions& options);

}  // namespace normproof::verification::golden::certify
