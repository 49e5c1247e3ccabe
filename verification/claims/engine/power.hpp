#pragma once

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// The least error of this kind with which the claim does not come out as expected: its verdict
/// turns over, or a control of its check fails.
///
/// Computes  by bisection of the binary exponent, between 1 and 2^-400, and above 2^-40 of the
///           octave too, to an eighth; an error larger than one that is rejected is taken to be
///           rejected. Infinity where the error 1 is not
double least_rejected(const Claim& claim, const Planted& planted, Run run);

}  // namespace normproof::verification::claims::engine
