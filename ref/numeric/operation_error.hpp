#pragma once

namespace normproof::ref::numeric {

/// How far an operation of a candidate may be from the exact result, in units in the last place of
/// that result: as far as CUDA's rsqrtf. Additions are exempt; they round to nearest.
inline constexpr double kMaxOperationUlps = 2;

/// The same limit in multiples of the unit roundoff u: a unit in the last place is at most 2 u of
/// the number.
inline constexpr double kMaxOperationError = 2 * kMaxOperationUlps;

}  // namespace normproof::ref::numeric
