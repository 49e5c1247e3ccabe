#include "verification/golden/corpus/path_globs.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace normproof::verification::golden::corpus {

namespace {

bool matches(const std::string& glob, const std::string& path) {
  return ::fnmatch(glob.c_str(), path.c_str(), 0) == 0;
}

}  // namespace

bool PathGlobs::match(const std::string& path) const {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return matches(glob, path); });
}

std::optional<std::string> PathGlobs::idle_glob(const std::vector<std::string>& paths) const {
  for (const std::string& glob : globs)
    if (std::ranges::none_of(paths, [&](const std::string& path) { return matches(glob, path); }))
      return glob;
  return std::nullopt;
}

}  // namespace normproof::verification::golden::corpus
