#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/checks/determinism/recording.hpp"

namespace normproof::verification::checks::determinism {

/// A probe that differs between two recordings, here and there.
struct Difference {
  std::string probe;     ///< empty if the contracts differ
  std::string sentence;  ///< the location and both values in hexadecimal; without the probe's name
};

/// Returns all differences in the order of the names; a different contract version comes first.
///
/// Computes  by hash. The sentence names the first value that differs if both recordings have
///           values, and otherwise both hashes. A probe that is in only one recording is a
///           difference
std::vector<Difference> differences(const Recording& here, const Recording& there);

/// Returns the first difference in one line without line end, with the number of further
/// differences. `there_name` is the name of the other recording in that line.
std::string verdict_line(const Recording& here, const std::vector<Difference>& found,
                         const std::string& there_name);

}  // namespace normproof::verification::checks::determinism
