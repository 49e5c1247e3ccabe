// Prints the version of the contract and the bits of every probe. Each line holds the name of a
// probe and 16 hexadecimal digits per value. The program needs no library, so it compiles for any
// processor (verification/checks/determinism/matrix).
//   bits [--instruction-set SET] [--threads N] [--caller MODE]
//   bits --instruction-sets          prints the instruction sets of this processor
// MODE is a processor mode that a careless caller has set before: flush, denormals-are-zero or
// upward. With the prefix "late-" the program sets it after the library has started. The library
// must then refuse to compute.
#include <cstdio>
#include <exception>
#include <string>

#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/determinism/caller_mode.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

void print(const Probe& probe) {
  Values values;
  probe.run(values);
  std::string line = probe.name;
  char digits[18];
  for (const std::uint64_t bits : values.bits()) {
    std::snprintf(digits, sizeof digits, " %016llx", static_cast<unsigned long long>(bits));
    line += digits;
  }
  std::puts(line.c_str());
}

int run(int count, char** arguments) {
  std::string mode = "";
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--instruction-sets") {
      for (const std::string& set : ref::numeric::instruction_sets()) std::puts(set.c_str());
      return 0;
    }
    const std::string value = i + 1 < count ? arguments[++i] : "";
    if (option == "--instruction-set") {
      ref::numeric::select_instruction_set(value);
    } else if (option == "--threads") {
      ref::numeric::set_num_threads(std::stoi(value));
    } else if (option == "--caller") {
      mode = value;
    } else {
      std::fprintf(stderr, "bits: unknown option '%s'\n", option.c_str());
      return 2;
    }
  }
  const bool late = mode.starts_with("late-");
  if (!mode.empty() && !late) set_caller_mode(mode);
  ref::numeric::check_fp_environment();
  if (late) set_caller_mode(mode.substr(5));
  std::printf("contract %d\n", ref::numeric::kArithmeticContract);
  for (const Probe& probe : probes()) print(probe);
  return std::fflush(stdout) == 0 ? 0 : 3;
}

}  // namespace
}  // namespace normproof::verification::checks::determinism

int main(int count, char** arguments) {
  try {
    return normproof::verification::checks::determinism::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bits: %s\n", error.what());
    return 1;
  }
}
