#pragma once

#include <stdexcept>

namespace normproof::ref::numeric {

/// The processor's floating-point mode is not the one the arithmetic contract needs.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks rule R0 of docs/determinism.md by the bits of a few operations: round to nearest even,
/// no flush of subnormal results or operands to zero, no contraction of a*b+c, no excess precision.
/// Throws    EnvironmentError naming the operation, the bits seen and the bits expected
void check_fp_environment();

}  // namespace normproof::ref::numeric
