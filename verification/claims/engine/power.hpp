#pragma once

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::engine {

/// Returns the smallest injected error with which the claim does not have its expected result: its
/// verdict changes, or a control of its check fails.
///
/// Computes  a bisection of the binary exponent between 1 and 2^-400 and, above 2^-40, also of the
///           octave, to an eighth. Errors larger than a rejected one are assumed to be rejected.
///           Infinity if the error 1 is not rejected
double least_rejected(const Claim& claim, const Planted& planted, Run run);

}  // namespace normproof::verification::claims::engine
