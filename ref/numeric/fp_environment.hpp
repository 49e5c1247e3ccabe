#pragma once

#include <stdexcept>

namespace normproof::ref::numeric {

/// The processor's floating-point mode is not the one the arithmetic contract needs.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks rule R0 of docs/specification/determinism.md by the bits of a few operations: round to nearest even,
/// no flush of subnormal results or operands to zero, no contraction of a*b+c, no excess precision.
/// Throws    EnvironmentError naming the operation, the bits seen and the bits expected
void check_fp_environment();

/// The mode of this thread as it is now, by the processor's control register, in some nanoseconds:
/// parallel_for asks in every thread, and so does every operation on tensors that does without it.
/// A caller that sets another mode after the start is refused, and the result with it.
/// Throws    EnvironmentError naming the register, the bits seen and the bits expected
void check_fp_mode();

}  // namespace normproof::ref::numeric
