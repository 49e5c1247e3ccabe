#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normproof::verification::golden::corpus {

/// Globs on the paths of cases: one of them has to match. All cases where nothing is said.
struct PathGlobs {
  std::vector<std::string> globs = {"*"};

  PathGlobs() = default;
  PathGlobs(const char* glob) : globs{glob} {}             // NOLINT: a glob is globs
  PathGlobs(std::string glob) : globs{std::move(glob)} {}  // NOLINT: the same

  bool match(const std::string& path) const;
  /// False where no path "<tier>/<operation>/<name>" can match, whatever its name.
  bool may_match_in(std::string_view tier, std::string_view operation) const;
  /// The first glob that matches none of the paths.
  std::optional<std::string> idle_glob(const std::vector<std::string>& paths) const;

  bool operator==(const PathGlobs&) const = default;
};

}  // namespace normproof::verification::golden::corpus
