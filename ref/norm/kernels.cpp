#include "ref/norm/kernels.hpp"

#include <atomic>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::norm {
namespace {

std::vector<const DoubleKernels*> available() {
  std::vector<const DoubleKernels*> sets{&double_kernels_baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) sets.push_back(&double_kernels_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    sets.push_back(&double_kernels_avx512);
#endif
  return sets;
}

std::atomic<const DoubleKernels*>& selected() {
  static std::atomic<const DoubleKernels*> kernels{available().back()};
  return kernels;
}

}  // namespace

const DoubleKernels& double_kernels() {
  return *selected().load(std::memory_order_relaxed);
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const auto* set : available()) names.emplace_back(set->instruction_set);
  return names;
}

void select_instruction_set(std::string_view name) {
  for (const auto* set : available()) {
    if (name != set->instruction_set) continue;
    selected() = set;
    return;
  }
  throw numeric::UsageError(numeric::unknown_name("instruction set", name, instruction_sets()));
}

}  // namespace normproof::ref::norm
