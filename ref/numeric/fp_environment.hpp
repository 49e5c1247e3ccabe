#pragma once

#include <stdexcept>

namespace normproof::ref::numeric {

/// Thrown if the processor's floating-point mode violates the arithmetic contract.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Computes a few operations and compares the bits of the results with those that rule R0 of
/// docs/specification/determinism.md requires: rounding to nearest even, no flushing of subnormal
/// results or operands to zero, no contraction of a*b+c, no excess precision.
/// Throws    EnvironmentError that names the operation, the computed bits and the expected bits
void check_fp_environment();

/// Checks the floating-point mode of this thread by reading the processor's control register, which
/// takes some nanoseconds. parallel_for calls this function in every thread. Operations on tensors
/// that do not use parallel_for call it too. So every operation throws if a caller has changed the
/// mode.
/// Throws    EnvironmentError that names the register, the bits read and the expected bits
void check_fp_mode();

}  // namespace normproof::ref::numeric
