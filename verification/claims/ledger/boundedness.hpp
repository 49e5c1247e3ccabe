#pragma once

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/drive.hpp"
#include "verification/claims/fixtures/history.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::Claim;
using fixtures::Draw;

/// The source of the claims of group D: a sentence of the paper's abstract. The theorem behind it
/// and its assumptions are not available, so no verdict here is about that theorem.
inline constexpr auto kBoundedGradients =
    "[SYG+20] abstract: the approximate backward gives bounded gradients (under which assumptions "
    "it "
    "does not say); derived: docs/derivations/norms.md";

/// Draws a constant for a statement of the form "C bounds ...". The constant is from 1 to 2^40, and
/// its logarithm is uniform.
double draw_claimed_constant(Draw& draw);
/// Returns the smallest number of steps t with growth^t > constant + 2.
/// Requires  growth > 1
std::size_t steps_to_exceed(double constant, double growth);

std::vector<Claim> bounded_claims();          ///< D1 to D4, D12: bounds of nu and the gradient
std::vector<Claim> unbounded_nu_claims();     ///< D5, D6: nu without one of the assumptions
std::vector<Claim> other_recursion_claims();  ///< D7, D8: nu as released and as re-implemented
std::vector<Claim> gradient_growth_claims();  ///< D9, D10, D11: what the bound does not imply
std::vector<Claim> sparse_channel_claims();   ///< D13

}  // namespace normproof::verification::claims::ledger
