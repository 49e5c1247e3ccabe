#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/coverage.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the limits of an operation's specification that no case reaches: "eps <= 0", "features
/// >= 1025", "dtype bfloat16", "gamma absent", "x subnormal". Each value of an enumeration, each
/// dtype and each presence of an input is a limit; a numeric option without a known range is
/// reported, too.
///
/// Throws    UsageError if there is no operation of that name
std::vector<std::string> unreached_limits(std::string_view operation, const Coverage& coverage);

/// A limit that the quick and the standard tier do not reach, and why.
struct KnownHole {
  std::string_view end;
  std::vector<std::string_view> operations;
  std::string_view reason;
};
std::span<const KnownHole> known_holes();

/// Returns the reason of a known hole; empty if it is not known.
std::string_view hole_reason(std::string_view operation, std::string_view end);

}  // namespace normproof::verification::golden::recipes
