#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::numeric {

/// The instruction sets for which kernels on `double` are compiled, from the narrowest to the
/// widest. All give the same bits (docs/specification/determinism.md), so the choice affects only
/// the speed. avx2 and avx512 include fma.
enum class InstructionSet { baseline, avx2, avx512 };

/// Returns the selected instruction set. By default it is the widest one that this processor
/// supports.
InstructionSet instruction_set();

/// Returns the names of the instruction sets that the kernels are compiled for and that this
/// processor supports, from the narrowest to the widest. The first is "baseline".
std::vector<std::string> instruction_sets();

/// Selects the instruction set with the name `name`.
/// Throws    UsageError if instruction_sets() does not contain the name
void select_instruction_set(std::string_view name);

}  // namespace normproof::ref::numeric
