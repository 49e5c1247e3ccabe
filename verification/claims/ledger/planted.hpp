#pragma once

#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::ledger {

/// Returns the errors to inject when measuring the sensitivity of a claim's check: one in the
/// quantity of the claim and, for claims with random means, also one in doubles only, which the
/// draws must detect without the enclosures.
/// Throws    UsageError if no error is defined for the claim
std::vector<engine::Planted> planted_for(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
