#pragma once

namespace normproof::ref::numeric {

/// The version of the arithmetic contract (docs/specification/determinism.md). It rises whenever a bit of a
/// result changes, and verification/checks/determinism/expected.json is recorded anew with it.
inline constexpr int kArithmeticContract = 1;

}  // namespace normproof::ref::numeric
