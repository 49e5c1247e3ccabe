#pragma once

#include <vector>

#include "ref/numeric/ball.hpp"

namespace normproof::verification::checks::lipschitz {

/// The symmetric matrix diag(diagonal) - u u^T - v v^T, of n rows; the diagonal is not negative.
struct DiagonalMinusTwo {
  std::vector<ref::numeric::ball> diagonal, u, v;
};

/// Source    Haynsworth's inertia formula; docs/derivations/lipschitz.md
/// Computes  whether lambda is proved to be above every eigenvalue: lambda I - A has as many
///           negative eigenvalues as lambda I - diag(diagonal) less those of I + [u v]^T (lambda I
///           - diag(diagonal))^-1 [u v], and none are left. False where the balls are too wide
bool is_above(const DiagonalMinusTwo& a, const ref::numeric::ball& lambda);

struct TopEigenvalue {
  ref::numeric::ball above;    ///< no eigenvalue is above it: proved by is_above
  std::vector<double> vector;  ///< near an eigenvector of the largest
};

/// Computes  the largest eigenvalue from above: by bisection and inverse iteration in `double`,
///           whose result is_above then proves, to 2^-40 of itself or as near as it can
/// Requires  (C1) n >= 1
/// Throws    ContractError
TopEigenvalue top_eigenvalue(const DiagonalMinusTwo& a);

}  // namespace normproof::verification::checks::lipschitz
