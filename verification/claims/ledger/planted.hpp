#pragma once

#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::ledger {

/// What is planted in the implementation to measure how small an error the check of this claim
/// sees: an error in the quantity that it is about; for a claim with drawn means one in doubles
/// alone, too, which the draws have to see without the enclosures beside them.
/// Throws    UsageError where nothing is known for the claim
std::vector<engine::Planted> planted_for(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
