#include "ref/numeric/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::numeric {
namespace {

constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};

InstructionSet widest_supported_instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return InstructionSet::baseline;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
  return InstructionSet::avx2;
#else
  return InstructionSet::baseline;
#endif
}

std::atomic<InstructionSet>& selected_instruction_set() {
  static std::atomic<InstructionSet> set{widest_supported_instruction_set()};
  return set;
}

}  // namespace

InstructionSet instruction_set() {
  return selected_instruction_set().load(std::memory_order_relaxed);
}

std::vector<std::string> instruction_sets() {
  return {kNames, kNames + static_cast<int>(widest_supported_instruction_set()) + 1};
}

void select_instruction_set(std::string_view name) {
  const auto sets = instruction_sets();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i] != name) continue;
    selected_instruction_set() = static_cast<InstructionSet>(i);
    return;
  }
  const std::vector<std::string> all = {std::begin(kNames), std::end(kNames)};
  if (std::find(all.begin(), all.end(), name) == all.end())
    throw UsageError(unknown_name("instruction set", name, all));
  std::string here;
  for (const std::string& set : sets) here += (here.empty() ? "" : ", ") + set;
  throw UsageError("this processor has no instruction set '" + std::string(name) + "'; expected " +
                   here);
}

}  // namespace normproof::ref::numeric
