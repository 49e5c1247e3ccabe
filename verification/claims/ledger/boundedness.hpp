#pragma once

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/drive.hpp"
#include "verification/claims/fixtures/history.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

// The parts of group D.
std::vector<Claim> bounded_claims();          ///< D1 to D4, D12: what bounds nu and the gradient
std::vector<Claim> unbounded_nu_claims();     ///< D5 to D8: nu without one of the assumptions
std::vector<Claim> gradient_growth_claims();  ///< D9, D10, D11: what the bound does not say
std::vector<Claim> sparse_channel_claims();   ///< D13

}  // namespace normproof::verification::claims::ledger
