#pragma once

#include <string_view>
#include <vector>

#include "verification/claims/engine/claim.hpp"

namespace normproof::verification::claims::ledger {

/// Returns the errors to inject to measure the sensitivity of a claim's check. One error changes
/// the quantity that the claim is about. A claim about random means has a second error, which
/// changes only runs in double. The check must detect it by its random draws, because the
/// enclosures are not affected.
/// Throws    UsageError if no error is defined for the claim
std::vector<engine::InjectedError> injected_errors_for(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
