#pragma once

#include <stdexcept>

namespace normproof::ref::numeric {

/// Thrown if the processor's floating-point mode is not the one that the arithmetic contract
/// requires.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks rule R0 of docs/specification/determinism.md by the bits of a few operations: rounding to
/// nearest even, no flushing of subnormal results or operands to zero, no contraction of a*b+c, no
/// excess precision.
/// Throws    EnvironmentError naming the operation, the bits seen and the bits expected
void check_fp_environment();

/// Checks the current mode of this thread by the processor's control register, which takes some
/// nanoseconds. parallel_for calls it in every thread, and so does every operation on tensors that
/// does not use parallel_for. So no result is returned if a caller has changed the mode after the
/// start.
/// Throws    EnvironmentError naming the register, the bits seen and the bits expected
void check_fp_mode();

}  // namespace normproof::ref::numeric
