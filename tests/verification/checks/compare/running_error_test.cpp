/// Tests the scalar running_error: the error bound of each operation holds. The exact result is
/// computed with 100 digits, at random points within the errors of the operands, for all
/// magnitudes.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "ref/numeric/elementary.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::verification::checks::compare {
namespace {

/// An operand: a running_error, and an exact number `value + position * error` within its error.
struct Operand {
  running_error computed;
  oracle100 exact;
};

double draw_magnitude(int min_exponent, int max_exponent) {
  const auto mantissa =
      *rc::gen::inRange<std::int64_t>(std::int64_t{1} << 52, std::int64_t{1} << 53);
  const auto exponent = *rc::gen::inRange(min_exponent, max_exponent);
  return std::ldexp(static_cast<double>(mantissa), exponent - 52);
}

Operand draw_operand(bool positive) {
  // A third of the operands are small, so that products and quotients underflow.
  const bool small = *rc::gen::inRange(0, 3) == 0;
  double value = small ? draw_magnitude(-1074, -900) : draw_magnitude(-300, 300);
  if (!positive && *rc::gen::inRange(0, 2) == 0) value = -value;
  // Errors range from 0 to tiny positive ones.
  const auto kind = *rc::gen::inRange(0, 4);
  double error = 0;
  if (kind == 1) error = std::ldexp(std::fabs(value), -*rc::gen::inRange(1, 200));
  if (kind == 2) error = std::fabs(value) * (1 - 0x1p-10);
  if (kind == 3) error = 0x1p-1074;
  if (positive && error > value) error = value;
  const auto position = *rc::gen::inRange(-16, 17);
  return {running_error(value, error), oracle100(value) + oracle100(error) * position / 16};
}

void check(const running_error& got, const oracle100& exact) {
  if (std::isinf(got.error)) return;
  const auto c = compare(ref::tensor::full_tensor<running_error>({1}, got),
                         ref::tensor::full_tensor<oracle100>({1}, exact));
  if (!c.passed) RC_FAIL(c.describe());
}

RC_GTEST_PROP(RunningErrorProperty, BoundsSumAndDifference, ()) {
  const Operand a = draw_operand(false);
  const Operand b = draw_operand(false);
  RC_ASSERT((a.computed + b.computed).value == a.computed.value + b.computed.value);
  check(a.computed + b.computed, a.exact + b.exact);
  check(a.computed - b.computed, a.exact - b.exact);
}

RC_GTEST_PROP(RunningErrorProperty, BoundsProduct, ()) {
  const Operand a = draw_operand(false);
  const Operand b = draw_operand(false);
  RC_ASSERT((a.computed * b.computed).value == a.computed.value * b.computed.value);
  check(a.computed * b.computed, a.exact * b.exact);
}

RC_GTEST_PROP(RunningErrorProperty, BoundsQuotient, ()) {
  const Operand a = draw_operand(false);
  const Operand b = draw_operand(false);
  RC_PRE(b.exact != 0);
  RC_ASSERT((a.computed / b.computed).value == a.computed.value / b.computed.value);
  check(a.computed / b.computed, a.exact / b.exact);
}

RC_GTEST_PROP(RunningErrorProperty, BoundsRoot, ()) {
  const Operand a = draw_operand(true);
  check(ref::numeric::square_root(a.computed), ref::numeric::square_root(a.exact));
}

/// The quotient is tiny and the error of the divisor is even smaller. The product of these two
/// underflows, but the bound must include it.
TEST(RunningError, BoundOfAQuotientIncludesAnErrorThatUnderflows) {
  const running_error a(1e-310);
  const running_error b(1e-10, 1e-25);
  const oracle100 exact = oracle100(a.value) / (oracle100(b.value) - oracle100(b.error));
  EXPECT_WITHIN(compare(ref::tensor::full_tensor<running_error>({1}, a / b),
                        ref::tensor::full_tensor<oracle100>({1}, exact)));
}

}  // namespace
}  // namespace normproof::verification::checks::compare
