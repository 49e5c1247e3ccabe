#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/checks/determinism/recording.hpp"

namespace normproof::verification::checks::determinism {

/// A probe whose values differ between two recordings. The two recordings are called `here` and
/// `there`.
struct Difference {
  std::string probe;     ///< empty if the contracts differ
  std::string sentence;  ///< the location and both values in hexadecimal; without the probe's name
};

/// Returns all probes that differ between two recordings, in the order of their names. If the
/// contract versions differ, this difference comes first.
///
/// Computes  a comparison of hashes. If both recordings have values, Difference::sentence names the
///           first value that differs; otherwise it names both hashes. A probe that is missing in
///           one recording is a difference
std::vector<Difference> differences(const Recording& here, const Recording& there);

/// Returns one line, without line end, that describes the first difference and states the number of
/// further differences. In this line, `there_name` is the name of the recording with which `here`
/// was compared.
std::string verdict_line(const Recording& here, const std::vector<Difference>& found,
                         const std::string& there_name);

}  // namespace normproof::verification::checks::determinism
