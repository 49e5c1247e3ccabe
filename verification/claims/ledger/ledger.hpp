#pragma once

#include <vector>

#include "verification/claims/fixtures/generators.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;

/// Returns every claim. The groups are in the order T (textbook), A, B, C, D, E, F, L, M.
const std::vector<Claim>& ledger();

// The groups of claims:
std::vector<Claim> textbook_claims();     ///< T: LayerNorm and BatchNorm as textbooks compare them
std::vector<Claim> backward_claims();     ///< A: every backward is the derivative of its forward
std::vector<Claim> geometry_claims();     ///< B: norms, projectors, Lipschitz constants
std::vector<Claim> recursion_claims();    ///< C: the recursions of PowerNorm
std::vector<Claim> boundedness_claims();  ///< D: when nu and the gradient stay bounded
std::vector<Claim> encoder_claims();      ///< E: lengths and gradients inside whole encoders
std::vector<Claim> dyt_claims();          ///< F: dynamic tanh in the place of a norm
std::vector<Claim> causal_claims();       ///< L: what later tokens affect in a causal encoder
std::vector<Claim> matmul_claims();       ///< M: the error bound of matrix products

}  // namespace normproof::verification::claims::ledger
