#pragma once

#include <string_view>

namespace normproof::verification::checks::determinism {

/// Puts this thread's processor into a mode that breaks rule R0 of
/// docs/specification/determinism.md, as a caller may have done: "flush" (subnormal results become
/// 0), "denormals-are-zero" (subnormal operands become 0), "upward" (rounding).
/// Throws    UsageError if the name is unknown or the processor has no such mode
void set_caller_mode(std::string_view mode);

}  // namespace normproof::verification::checks::determinism
