#pragma once

#include <cstddef>
#include <vector>

#include "verification/claims/engine/claim.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using engine::TestedImplementation;

/// Returns |nu| of power_norm after each batch for a channel that is active once in every K
/// batches, computed in double. An active batch has x = +-1 in 8 rows. An inactive batch has x = 0.
/// All batches have g = +-1, and eps is 1e-5. Initially, psi^2 = 1 and nu = 0. At alpha = 0.9, nu
/// stays below 2 for K = 10 and K = 11, and diverges for K = 12.
/// Shapes    periods * K numbers
std::vector<double> nu_series(double alpha, std::size_t K, std::size_t periods,
                              const TestedImplementation& subject = {});

/// Whether nu diverges for a channel that is active once in every K batches. nu diverges if
/// `theta = alpha^-(K-1) - alpha` exceeds 2. This is equivalent to `alpha^(K-1) (2 + alpha) < 1`,
/// and to `K > 1 + ln(2 + alpha) / ln(1 / alpha)`. The function decides this in rational numbers.
bool diverges(double alpha, std::size_t K);

}  // namespace normproof::verification::claims::ledger
