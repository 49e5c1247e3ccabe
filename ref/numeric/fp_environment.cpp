#include "ref/numeric/fp_environment.hpp"

#include <fmt/format.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "ref/numeric/assumptions.hpp"

namespace normproof::ref::numeric {
namespace {

void expect_bits(const char* operation, double got, std::uint64_t expected) {
  const auto bits = std::bit_cast<std::uint64_t>(got);
  if (bits != expected) {
    throw EnvironmentError(
        fmt::format("floating-point environment: {} gives bits {:016x}; expected {:016x} "
                    "(docs/specification/determinism.md, R0)",
                    operation, bits, expected));
  }
}

// Returns the value after storing it in a volatile object, so that the processor computes with it
// at run time.
double hide_from_optimizer(double value) {
  volatile double v = value;
  return v;
}

}  // namespace

void check_fp_environment() {
  const double one = hide_from_optimizer(1.0);
  expect_bits("1 + 2^-53 (a tie, to even)", one + hide_from_optimizer(0x1p-53),
              0x3ff0000000000000u);
  expect_bits("(1 + 2^-52) + 2^-53 (a tie, to even)",
              hide_from_optimizer(0x1.0000000000001p0) + hide_from_optimizer(0x1p-53),
              0x3ff0000000000002u);
  expect_bits("1 + (2^-53 + 2^-105) (upwards)", one + hide_from_optimizer(0x1.0000000000001p-53),
              0x3ff0000000000001u);
  expect_bits("-1 - (2^-53 + 2^-105) (away from zero)",
              -one - hide_from_optimizer(0x1.0000000000001p-53), 0xbff0000000000001u);
  expect_bits("2^-1022 / 2 (a subnormal result)",
              hide_from_optimizer(0x1p-1022) / hide_from_optimizer(2.0), 0x0008000000000000u);
  expect_bits("2^-1074 * 2^52 (a subnormal operand)",
              hide_from_optimizer(0x1p-1074) * hide_from_optimizer(0x1p52), 0x0010000000000000u);
  // (1 + 2^-30)^2 - (1 + 2^-29) is exactly 2^-60 if the product is not rounded, and 0 if it is.
  const double a = hide_from_optimizer(0x1.00000004p0);
  expect_bits("a*a - c (no contraction)", a * a - hide_from_optimizer(0x1.00000008p0), 0u);
  expect_bits("sqrt(2)", std::sqrt(hide_from_optimizer(2.0)), 0x3ff6a09e667f3bcdu);
  expect_bits("1 / 3", one / hide_from_optimizer(3.0), 0x3fd5555555555555u);
  expect_bits("2^1023 * 2 (overflow)", hide_from_optimizer(0x1p1023) * hide_from_optimizer(2.0),
              0x7ff0000000000000u);
  expect_bits("(2^53 + 1) - 2^53 (no excess precision)",
              (hide_from_optimizer(0x1p53) + one) - hide_from_optimizer(0x1p53), 0u);
}

void check_fp_mode() {
#if defined(__x86_64__)
  constexpr const char* kRegister = "MXCSR";
  constexpr std::uint64_t kMode = 0xe040;  // rounding, flush to zero, denormals are zero
  const std::uint64_t control = __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  constexpr const char* kRegister = "FPCR";
  constexpr std::uint64_t kMode = 0x01c00003;  // rounding, FZ, AH, FIZ
  std::uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
#elif defined(__riscv)
  constexpr const char* kRegister = "frm";
  constexpr std::uint64_t kMode = 7;  // rounding; RISC-V never flushes subnormal numbers
  std::uint64_t control;
  __asm__ volatile("frrm %0" : "=r"(control));
#else
  constexpr const char* kRegister = "the rounding mode";
  constexpr std::uint64_t kMode = ~std::uint64_t{0};
  const std::uint64_t control = std::fegetround() == FE_TONEAREST ? 0 : 1;
#endif
  if ((control & kMode) != 0) {
    throw EnvironmentError(fmt::format(
        "floating-point environment: {} has the mode bits {:x}; expected 0, nearest even "
        "without flushing to zero (docs/specification/determinism.md, R0)",
        kRegister, control & kMode));
  }
}

}  // namespace normproof::ref::numeric
