#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/coverage.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the limits of an operation's specification that no case of the corpus reaches, such as
/// "eps <= 0", "features >= 1025", "dtype bfloat16", "gamma absent" or "x subnormal". Each value of
/// an enumeration and each dtype is a limit, and so are the presence and the absence of each
/// optional input. A numeric option without a known range is reported, too.
///
/// Throws    UsageError if there is no operation of that name
std::vector<std::string> unreached_limits(std::string_view operation, const Coverage& coverage);

/// A limit that no case of the quick and the standard tier reaches, with the reason.
struct KnownUnreachedLimit {
  std::string_view end;
  std::vector<std::string_view> operations;
  std::string_view reason;
};
std::span<const KnownUnreachedLimit> known_unreached_limits();

/// Returns why no case reaches the limit `end`, or "" if the limit is not in
/// known_unreached_limits().
std::string_view unreached_limit_reason(std::string_view operation, std::string_view end);

}  // namespace normproof::verification::golden::recipes
