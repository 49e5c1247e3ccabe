#pragma once

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/drive.hpp"
#include "verification/claims/fixtures/history.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

/// What the claims of D are about. The theorem behind the abstract's sentence, and what it assumes,
/// are not at hand: no verdict here is one on it.
inline constexpr auto kBoundedGradients =
    "[SYG+20] abstract: the approximate backward gives bounded gradients (under which assumptions "
    "it "
    "does not say); derived: docs/derivations/norms.md";

// The parts of group D.
/// A constant that is alleged to bound something: from 1 to 2^40, its logarithm uniform.
double alleged_constant(Draw& draw);
/// The least t with growth^t > constant + 2, growth above 1.
std::size_t steps_to_pass(double constant, double growth);

std::vector<Claim> bounded_claims();          ///< D1 to D4, D12: what bounds nu and the gradient
std::vector<Claim> unbounded_nu_claims();     ///< D5, D6: nu without one of the assumptions
std::vector<Claim> other_recursion_claims();  ///< D7, D8: nu as released and as re-implemented
std::vector<Claim> gradient_growth_claims();  ///< D9, D10, D11: what the bound does not say
std::vector<Claim> sparse_channel_claims();   ///< D13

}  // namespace normproof::verification::claims::ledger
