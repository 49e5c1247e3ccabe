#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// The instruction sets that kernels for `double` are compiled for, narrowest first. All give the
/// same bits (docs/specification/determinism.md), so the choice affects only the speed. avx2 and
/// avx512 include fma.
enum class InstructionSet { baseline, avx2, avx512 };

/// Returns the selected set. By default it is the widest that this processor has.
InstructionSet instruction_set();

/// Returns every set that was compiled and that this processor has, narrowest first. The first is
/// "baseline".
std::vector<std::string> instruction_sets();

/// Selects the instruction set of that name.
/// Throws    UsageError if instruction_sets() does not contain the name
void select_instruction_set(std::string_view name);

}  // namespace normproof::ref::numeric
