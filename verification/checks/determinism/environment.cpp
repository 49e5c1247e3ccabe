#include "verification/checks/determinism/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <fstream>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"

#ifndef NORMPROOF_FLAGS  // the build defines it; a checker that reads only this file may not
#define NORMPROOF_FLAGS "unknown"
#endif

namespace normproof::verification::checks::determinism {
namespace {

#if defined(__x86_64__)
constexpr const char* kArchitecture = "x86_64";
#elif defined(__aarch64__)
constexpr const char* kArchitecture = "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
constexpr const char* kArchitecture = "riscv64";
#else
constexpr const char* kArchitecture = "other";
#endif

#if defined(__clang__)
constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

std::string describe_processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find(": ");
    if (value != std::string::npos) return line.substr(value + 2);
  }
  return "unknown";
}

std::string describe_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {}", names.sysname, names.release);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment() {
  const auto sets = ref::numeric::instruction_sets();
  return {{"compiler", kCompiler},
          {"flags", NORMPROOF_FLAGS},
          {"architecture", kArchitecture},
          {"instruction_set",
           fmt::format("{} of {}", sets[static_cast<std::size_t>(ref::numeric::instruction_set())],
                       fmt::join(sets, ", "))},
          {"threads", std::to_string(ref::numeric::num_threads())},
          {"processor", describe_processor()},
          {"system", describe_system()},
          {"c_library", fmt::format("glibc {}", gnu_get_libc_version())}};
}

}  // namespace normproof::verification::checks::determinism
