#pragma once

#include <string>
#include <vector>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// The mean of random draws, the interval [least, most] that contains its expectation, and the
/// deviation that is allowed because the draws are random (class Deviation).
struct SampledMean {
  std::string what;  ///< "d = 16: ‖∂L/∂W‖²/d"
  double mean = 0;
  double least = 0, most = 0;
  double allowance = 0;
};

/// Returns the evidence of random draws. Every mean must be in [least - allowance, most +
/// allowance]. `attained` is the distance from the middle of this interval divided by half its
/// width. The detail text lists all means.
Evidence sample_evidence(const Run& run, std::size_t draws, const std::vector<SampledMean>& means);

}  // namespace normproof::verification::claims::engine
