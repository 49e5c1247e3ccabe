#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/checks/determinism/recording.hpp"

namespace normproof::verification::checks::determinism {

/// One probe that is not the same here and there.
struct Difference {
  std::string probe;     ///< its name; empty where the contracts differ
  std::string sentence;  ///< where, and both values in hexadecimal; without the probe's name
};

/// Every difference, in the order of the names; the contract's version first.
///
/// Computes  by hash; the sentence names the first value that differs where both have their values,
///           else both hashes. A probe that only one of them has is a difference.
std::vector<Difference> differences(const Recording& here, const Recording& there);

/// The first difference in one line, with the number of the others; no line end.
/// `there_name` is how the line calls the other recording.
std::string verdict_line(const Recording& here, const std::vector<Difference>& found,
                         const std::string& there_name);

}  // namespace normproof::verification::checks::determinism
