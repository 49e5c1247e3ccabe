#pragma once

#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::ledger {

/// Returns the errors to inject to measure the sensitivity of a claim's check. One is in the
/// quantity that the claim is about. Claims about random means have another one that only affects
/// runs in double, which the random draws must detect without the enclosures.
/// Throws    UsageError if no error is defined for the claim
std::vector<engine::InjectedError> injected_errors_for(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
