#pragma once

#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;

// The claims of group A that are not instances of backward_property.
Claim batch_renorm_claim();        ///< A10
Claim printed_form_claim();        ///< A5
Claim affine_gradient_claim();     ///< A11
Claim central_difference_claim();  ///< A12

}  // namespace normproof::verification::claims::ledger
