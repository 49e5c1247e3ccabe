#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normproof::verification::golden::corpus {

/// A set of globs for the paths of cases. A path matches if at least one glob matches it. By
/// default every path matches.
struct PathGlobs {
  std::vector<std::string> globs = {"*"};

  PathGlobs() = default;
  PathGlobs(const char* glob) : globs{glob} {}             // NOLINT: one glob is a list of globs
  PathGlobs(std::string glob) : globs{std::move(glob)} {}  // NOLINT: one glob is a list of globs

  bool match(const std::string& path) const;
  /// Returns false if no path "<tier>/<operation>/<name>" can match, whatever its name is.
  bool may_match_in(std::string_view tier, std::string_view operation) const;
  /// Returns the first glob that matches none of the paths, or nothing if every glob matches a
  /// path.
  std::optional<std::string> first_unmatched_glob(const std::vector<std::string>& paths) const;

  bool operator==(const PathGlobs&) const = default;
};

}  // namespace normproof::verification::golden::corpus
