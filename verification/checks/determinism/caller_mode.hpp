#pragma once

#include <string_view>

namespace normproof::verification::checks::determinism {

/// Sets a mode of this thread's processor that breaks rule R0 of docs/specification/determinism.md,
/// as a careless caller may have done. The modes are "flush" (subnormal results become 0),
/// "denormals-are-zero" (subnormal operands become 0) and "upward" (results are rounded up).
/// Throws    UsageError if the name is unknown or the processor has no such mode
void set_caller_mode(std::string_view mode);

}  // namespace normproof::verification::checks::determinism
