#pragma once

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/history.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

/// What the worst case of a claim of equality means.
inline constexpr auto kRounding = "|difference| / what rounding at 50 digits may do";

// The parts of group C.
std::vector<Claim> nu_claims();               ///< C1, C2, C4, C8: what moves nu
std::vector<Claim> psi_claims();              ///< C5, C6, C7: what moves psi
std::vector<Claim> affine_backward_claims();  ///< C3, C9, C10, C11: what the backward is and is not
std::vector<Claim> padding_claims();          ///< C12 to C15: pads and group scaling
std::vector<Claim> gradient_through_time();   ///< C16

}  // namespace normproof::verification::claims::ledger
