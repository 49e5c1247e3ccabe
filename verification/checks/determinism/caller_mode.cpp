#include "verification/checks/determinism/caller_mode.hpp"

#include <cfenv>
#include <string>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::determinism {
namespace {

using ref::numeric::UsageError;

#if defined(__x86_64__)
// Sets bits of the MXCSR register.
void set_fp_control_bits(unsigned bits) {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | bits);
}
constexpr unsigned kFlushToZeroBit = 1u << 15;
constexpr unsigned kDenormalsAreZeroBit = 1u << 6;
#elif defined(__aarch64__)
// The FZ bit of FPCR flushes both operands and results.
void set_fp_control_bits(unsigned long bits) {
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  __asm__ volatile("msr fpcr, %0" : : "r"(control | bits));
}
constexpr unsigned long kFlushToZeroBit = 1ul << 24;
constexpr unsigned long kDenormalsAreZeroBit = kFlushToZeroBit;
#endif

}  // namespace

void set_caller_mode(std::string_view mode) {
  if (mode == "upward") {
    std::fesetround(FE_UPWARD);
    return;
  }
#if defined(__x86_64__) || defined(__aarch64__)
  if (mode == "flush") return set_fp_control_bits(kFlushToZeroBit);
  if (mode == "denormals-are-zero") return set_fp_control_bits(kDenormalsAreZeroBit);
#else
  if (mode == "flush" || mode == "denormals-are-zero")
    throw UsageError("this processor has no mode '" + std::string(mode) + "'");
#endif
  throw UsageError(
      ref::numeric::unknown_name("mode", mode, {"flush", "denormals-are-zero", "upward"}));
}

}  // namespace normproof::verification::checks::determinism
