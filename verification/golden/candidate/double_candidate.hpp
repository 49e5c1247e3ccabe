#pragma once

#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/certify/not_finite_elements.hpp"

namespace normproof::verification::golden::candidate {

/// Returns a candidate that computes in `double` with the function `evaluate`. It declines a case
/// if `evaluate` returns nothing. All floating-point outputs are float64, whatever the dtype of the
/// case is. Elements that depend on an infinity or a NaN of the inputs are NaN. To find these
/// elements, `evaluate` is called twice with different finite replacements.
Candidate double_candidate(certify::Evaluate evaluate);

/// Returns a candidate that runs the reference implementation of this program in `double`.
Candidate reference_candidate();

}  // namespace normproof::verification::golden::candidate
