#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// The sets that kernels for `double` are compiled for, narrowest first. All of them give the same
/// bits (docs/specification/determinism.md): the choice is a matter of speed alone. avx2 and avx512 include fma.
enum class InstructionSet { baseline, avx2, avx512 };

/// The chosen set; at first the widest that this processor has.
InstructionSet instruction_set();

/// Every set that was compiled and that this processor has, narrowest first; the first is
/// "baseline".
std::vector<std::string> instruction_sets();

/// Throws    UsageError for a set that instruction_sets() does not name
void select_instruction_set(std::string_view name);

}  // namespace normproof::ref::numeric
