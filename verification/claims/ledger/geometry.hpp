#pragma once

#include <vector>

#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;

// The claims of group B, by topic.
std::vector<Claim> norm_identity_claims();  ///< B1 to B5
std::vector<Claim> lipschitz_claims();      ///< B6, B7, B8, B16
std::vector<Claim> same_gradient_claims();  ///< B9 to B12
std::vector<Claim> premise_claims();        ///< B13, B14, B15
std::vector<Claim> invariance_claims();     ///< B17, B18

}  // namespace normproof::verification::claims::ledger
