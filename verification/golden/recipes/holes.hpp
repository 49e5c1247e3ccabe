#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/coverage.hpp"

namespace normproof::verification::golden::recipes {

/// The ends of what the specification allows of an operation that no case touches: "eps <= 0",
/// "features >= 1025", "dtype bfloat16", "gamma absent", "x subnormal". Each value of an
/// enumeration, each dtype and each presence of an input is an end, and so is a number option that
/// has no range here.
///
/// Throws    UsageError where there is no operation of that name
std::vector<std::string> untouched_ends(std::string_view operation, const Coverage& coverage);

/// A hole that the quick and the standard tier leave, and why.
struct KnownHole {
  std::string_view end;
  std::vector<std::string_view> operations;
  std::string_view reason;
};
std::span<const KnownHole> known_holes();

/// The reason of a known hole; empty where it is none.
std::string_view reason_of_hole(std::string_view operation, std::string_view end);

}  // namespace normproof::verification::golden::recipes
