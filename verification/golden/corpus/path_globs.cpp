#include "verification/golden/corpus/path_globs.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace normproof::verification::golden::corpus {

namespace {

bool matches(const std::string& glob, const std::string& path) {
  return ::fnmatch(glob.c_str(), path.c_str(), 0) == 0;
}

/// Returns false only if the glob matches no path "<folder>/<name>". `folder` has two parts, such
/// as "quick/layer_norm". A glob with exactly two slashes is compared part by part. The
/// result is true for any other glob, and for a glob whose first two parts contain '[' or a
/// backslash.
bool may_match_in_folder(const std::string& glob, const std::string& folder) {
  if (std::ranges::count(glob, '/') != 2) return true;
  const std::string beginning = glob.substr(0, glob.rfind('/'));
  return beginning.find_first_of("[\\") != std::string::npos || matches(beginning, folder);
}

}  // namespace

bool PathGlobs::match(const std::string& path) const {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return matches(glob, path); });
}

bool PathGlobs::may_match_in(std::string_view tier, std::string_view operation) const {
  const std::string folder = fmt::format("{}/{}", tier, operation);
  return std::ranges::any_of(
      globs, [&](const std::string& glob) { return may_match_in_folder(glob, folder); });
}

std::optional<std::string> PathGlobs::first_unmatched_glob(
    const std::vector<std::string>& paths) const {
  for (const std::string& glob : globs)
    if (std::ranges::none_of(paths, [&](const std::string& path) { return matches(glob, path); }))
      return glob;
  return std::nullopt;
}

}  // namespace normproof::verification::golden::corpus
