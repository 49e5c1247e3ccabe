#include "verification/checks/agreement/product_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normproof::verification::checks::agreement {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;

/// A sum of products with about twice the precision of double [ORO05]. Its value is hi + lo.
class AccurateSum {
 public:
  void add(double v) {
    const double sum = hi_ + v, part = sum - hi_;
    lo_ += (hi_ - (sum - part)) + (v - part);
    hi_ = sum;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    lo_ += std::fma(x, y, -product);
    add(product);
  }
  double distance(double v) const { return std::fabs((v - hi_) - lo_); }

 private:
  double hi_ = 0, lo_ = 0;
};

/// Whether a rounded operand is a subnormal float32, which a library may treat as 0.
bool is_subnormal(const ProductArithmetic& arithmetic, double rounded) {
  return arithmetic.rounds_once_more && std::fabs(rounded) < arithmetic.least;
}

/// Returns the magnitude that tensor cores use when they align an operand. A subnormal operand
/// counts as the smallest normal number.
double alignment_magnitude(const ProductArithmetic& arithmetic, double rounded) {
  const double magnitude = std::fabs(rounded);
  return arithmetic.aligns && magnitude > 0
             ? std::max(magnitude, arithmetic.operand.smallest_normal)
             : magnitude;
}

double ratio(double error, double bound) {
  if (error == 0) return 0;
  return bound > 0 && error <= kInfinity ? error / bound : kInfinity;
}

}  // namespace

ProductArithmetic product_arithmetic(gpu::ops::Precision precision) {
  using gpu::ops::Precision;
  const ref::numeric::FloatFormat &operand = float_format_info(precision),
                                  &sums = float_format_info(Precision::float32);
  if (precision == Precision::float64)
    return {operand, operand.unit_roundoff, 1, 0x1p1023, operand.smallest_subnormal, false, false};
  if (precision == Precision::float32)
    return {operand, sums.unit_roundoff, 1, 0x1p127, sums.smallest_normal, true, false};
  return {operand, 2 * sums.unit_roundoff, 3, 0x1p127, sums.smallest_normal, true, true};
}

double round_operand(const ProductArithmetic& arithmetic, double v) {
  const ref::numeric::FloatFormat& format = arithmetic.operand;
  if (v == 0 || !std::isfinite(v) || format.digits == 53) return v;
  const int unit = std::max(std::ilogb(v), format.min_exponent) - format.digits + 1;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
  return std::fabs(rounded) > format.largest ? std::copysign(kInfinity, v) : rounded;
}

ElementVerdict judge_element(const ProductArithmetic& arithmetic, std::size_t count, OperandTerms a,
                             OperandTerms b, std::optional<double> old_total, double got) {
  const auto n = static_cast<double>(count);
  AccurateSum exact, of_rounded;
  double magnitude = 0, cut = 0, operands_off = 0, subnormal = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = a.values[k * a.stride], y = b.values[k * b.stride];
    const double p = a.rounded[k * a.stride], q = b.rounded[k * b.stride];
    exact.add_product(x, y);
    of_rounded.add_product(p, q);
    magnitude += std::fabs(p * q);
    cut += alignment_magnitude(arithmetic, p) * alignment_magnitude(arithmetic, q);
    operands_off += std::fabs(p - x) * std::fabs(y) + std::fabs(p) * std::fabs(q - y);
    subnormal += is_subnormal(arithmetic, p) || is_subnormal(arithmetic, q) ? std::fabs(p * q) : 0;
  }
  const double old = old_total.value_or(0);
  exact.add(old);
  of_rounded.add(old);
  const bool old_is_a_term = old_total.has_value() && !arithmetic.rounds_once_more;
  if (old_is_a_term) magnitude += std::fabs(old), cut += std::fabs(old);
  ElementVerdict verdict;
  if (!(magnitude * 2 <= arithmetic.sum_largest && std::fabs(old) * 2 <= 0x1p1023 &&
        operands_off < kInfinity)) {
    verdict.judged = false;
    return verdict;
  }
  const double operations =
      static_cast<double>(arithmetic.growth) * (old_is_a_term ? n + 1 : n) * arithmetic.sum_unit;
  const double gamma = operations < 1 ? operations / (1 - operations) : kInfinity;
  double sums = gamma * cut + (1 + gamma) * (subnormal + 2 * (n + 1) * arithmetic.least);
  if (arithmetic.rounds_once_more && old_total.has_value()) sums += kUnit * (std::fabs(got) + sums);
  // The relative error of the sums that this function itself computes: at most gamma(n)^2 in
  // `exact`, n u in the other sums.
  const double own = 1 + (4 * n + 64) * kUnit;
  const double accurate = 4 * (n + 2) * (n + 2) * kUnit * kUnit;
  const double bound_of_sums = (sums + accurate * (magnitude + std::fabs(old))) * own;
  const double bound =
      (sums + operands_off + accurate * (magnitude + operands_off + std::fabs(old))) * own;
  verdict.of_sums = ratio(of_rounded.distance(got), bound_of_sums);
  verdict.of_bound = ratio(exact.distance(got), bound);
  return verdict;
}

ElementVerdict judge_exact_element(std::size_t count, OperandTerms a, OperandTerms b,
                                   std::optional<double> old_total, double got) {
  AccurateSum exact;
  for (std::size_t k = 0; k < count; ++k)
    exact.add_product(a.values[k * a.stride], b.values[k * b.stride]);
  exact.add(old_total.value_or(0));
  const double off = ratio(exact.distance(got), 0);
  return {off, off, true};
}

}  // namespace normproof::verification::checks::agreement
