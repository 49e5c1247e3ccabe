#pragma once

namespace normproof::ref::numeric {

/// The version of the arithmetic contract (docs/specification/determinism.md). It increases
/// whenever a bit of a result changes. verification/checks/determinism/expected.json must then be
/// recorded again.
inline constexpr int kArithmeticContract = 1;

}  // namespace normproof::ref::numeric
