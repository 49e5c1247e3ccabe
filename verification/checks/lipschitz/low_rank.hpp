#pragma once

#include <vector>

#include "ref/numeric/ball.hpp"

namespace normproof::verification::checks::lipschitz {

/// The symmetric n x n matrix A = diag(diagonal) - u u^T - v v^T. The elements of `diagonal` are
/// not negative.
struct DiagonalMinusRankTwo {
  std::vector<ref::numeric::ball> diagonal, u, v;
};

/// Whether lambda is proved to be greater than every eigenvalue of A.
/// Source    Haynsworth's inertia formula; docs/derivations/lipschitz.md
/// Computes  whether lambda I - A has no negative eigenvalue. Let M = lambda I - diag(diagonal) and
///           K = I + [u v]^T M^-1 [u v]. The number of negative eigenvalues of lambda I - A is the
///           number of negative eigenvalues of M minus the number of negative eigenvalues of K. The
///           result is false if the balls are too wide
bool is_above_all_eigenvalues(const DiagonalMinusRankTwo& a, const ref::numeric::ball& lambda);

struct TopEigenvalue {
  ref::numeric::ball above;    ///< proved by is_above_all_eigenvalues: no eigenvalue is greater
  std::vector<double> vector;  ///< close to an eigenvector of the largest eigenvalue
};

/// Bounds the largest eigenvalue of A from above.
/// Computes  a candidate, by bisection and inverse iteration in `double`. is_above_all_eigenvalues
///           then proves that the candidate is a bound. The bound is within a relative 2^-40 of the
///           eigenvalue, or as close as the balls permit
/// Requires  (C1) n >= 1
/// Throws    ContractError
TopEigenvalue top_eigenvalue(const DiagonalMinusRankTwo& a);

}  // namespace normproof::verification::checks::lipschitz
