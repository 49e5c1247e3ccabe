#pragma once

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/history.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;

/// The text that explains the number `worst` in claims that two values are equal.
inline constexpr auto kRounding = "|difference| / what rounding at 50 digits may do";

// The claims of group C, by topic.
std::vector<Claim> nu_claims();               ///< C1, C2, C4, C8: the recursion of nu
std::vector<Claim> psi_claims();              ///< C5, C6, C7: the recursion of psi
std::vector<Claim> affine_backward_claims();  ///< C3, C9, C10, C11: properties of the backward
std::vector<Claim> padding_claims();          ///< C12 to C15: padding and group scaling
std::vector<Claim> gradient_through_time_claims();  ///< C16

}  // namespace normproof::verification::claims::ledger
