#pragma once

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// Returns the smallest size of the injected error that the claim's check rejects. The check
/// rejects it if the verdict changes or if a control of the check fails.
///
/// Computes  a bisection of the binary exponent between 1 and 2^-400. If the smallest rejected
///           power of two is above 2^-40, the size is refined between it and the next smaller
///           power, to an eighth of their distance. Errors larger than a rejected error are assumed
///           to be rejected. The result is infinity if the size 1 is not rejected
double smallest_rejected_error(const Claim& claim, const InjectedError& planted, Run run);

}  // namespace normproof::verification::claims::engine
