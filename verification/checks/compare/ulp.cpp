#include "verification/checks/compare/ulp.hpp"

#include <bit>
#include <cmath>

namespace normproof::verification::checks::compare {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;

}  // namespace

std::uint64_t ulp_distance(double a, double b) {
  const auto bits_a = std::bit_cast<std::uint64_t>(a);
  const auto bits_b = std::bit_cast<std::uint64_t>(b);
  // Without the sign bit, the bits of a double are its index among the non-negative doubles.
  const std::uint64_t index_a = bits_a & ~kSign;
  const std::uint64_t index_b = bits_b & ~kSign;
  if (index_a > kInfinityBits || index_b > kInfinityBits) return kInfiniteUlpDistance;
  if ((bits_a ^ bits_b) & kSign) return index_a + index_b;
  return index_a > index_b ? index_a - index_b : index_b - index_a;
}

bool is_same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

double ulp(double x) {
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(x) & kInfinityBits;
  if (exponent == kInfinityBits) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t biased = exponent >> 52;
  if (biased <= 1) return std::bit_cast<double>(std::uint64_t{1});
  // The result is 2^(biased - 1023 - 52), which is subnormal if biased <= 52.
  if (biased > 52) return std::bit_cast<double>((biased - 52) << 52);
  return std::bit_cast<double>(std::uint64_t{1} << (biased - 1));
}

}  // namespace normproof::verification::checks::compare
