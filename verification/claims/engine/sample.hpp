#pragma once

#include <string>
#include <vector>

#include "verification/claims/engine/property.hpp"

namespace normproof::verification::claims::engine {

/// A mean that was drawn, where its expectation is known to lie, and how far off chance may have
/// taken it (Deviation).
struct SampledMean {
  std::string what;  ///< "d = 16: ‖∂L/∂W‖²/d"
  double mean = 0;
  double least = 0, most = 0;
  double allowance = 0;
};

/// The evidence of `draws` draws: every mean lies in [least - allowance, most + allowance];
/// attained is the distance from the middle by half the width. The detail lists them all.
Evidence of_sample(const Run& run, std::size_t draws, const std::vector<SampledMean>& means);

}  // namespace normproof::verification::claims::engine
