#pragma once

namespace normproof::ref::numeric {

/// The maximum error of one operation of a candidate (an implementation under test), in units in
/// the last place of the exact result. It is the error of CUDA's rsqrtf. Additions are exempt: they
/// must round to nearest.
inline constexpr double kMaxOperationUlps = 2;

/// The maximum error of one operation of a candidate as a multiple of the unit roundoff u. A unit
/// in the last place of a number is at most 2 u times the number.
inline constexpr double kMaxOperationError = 2 * kMaxOperationUlps;

}  // namespace normproof::ref::numeric
