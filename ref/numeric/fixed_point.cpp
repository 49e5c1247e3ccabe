#include "ref/numeric/fixed_point.hpp"

// This file calls no standard function that needs a compiler builtin. nvcc compiles the file for a
// GPU too and may omit such a call.

namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {
namespace {

__extension__ using Wide = unsigned __int128;

NORMPROOF_DEVICE int larger(int a, int b) {
  return a < b ? b : a;
}

NORMPROOF_DEVICE std::uint64_t saturate_to_64_bits(Wide v) {
  return v >> 64 != 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(v);
}

// Returns the double nearest to N 2^exponent, ties to even. N is the integer with the limbs
// limb[0..count).
NORMPROOF_DEVICE double nearest_double(const std::uint64_t* limb, int count, int exponent) {
  int top = count - 1;
  while (top >= 0 && limb[top] == 0) --top;
  if (top < 0) return 0;
  const int width = 64 * top + bit_width(limb[top]);
  // The number of low bits to remove, so that at most 53 bits are left and the last place of the
  // result is at least 2^-1074.
  const int cut = larger(width - 53, -1074 - exponent);
  if (cut > width) return 0;
  const auto bit = [&](int i) { return i >= 0 && i < 64 * count && (limb[i / 64] >> i % 64 & 1); };
  std::uint64_t kept = 0;
  for (int i = width - 1; i >= cut; --i) kept = kept << 1 | std::uint64_t{bit(i)};
  bool below = false;
  for (int i = 0; i < cut - 1 && !below; ++i) {
    if (i % 64 == 0 && i + 64 <= cut - 1) {
      below = limb[i / 64] != 0;
      i += 63;
    } else {
      below = bit(i);
    }
  }
  if (bit(cut - 1) && (below || (kept & 1))) ++kept;
  // kept <= 2^53, and its last place is 2^(cut + exponent) >= 2^-1074. So if the result is
  // subnormal, kept is its bit pattern. A carry into the next binade is a carry into the exponent
  // bits.
  const int last_place = cut + exponent;
  if (kept == 0) return 0;
  if (kept >> 53 != 0 ? last_place + 53 > 1023 : kept >> 52 != 0 && last_place + 52 > 1023)
    return __builtin_bit_cast(double, std::uint64_t{0x7ff} << 52);
  if (kept >> 52 == 0) return __builtin_bit_cast(double, kept);
  return __builtin_bit_cast(double, (static_cast<std::uint64_t>(last_place + 1074) << 52) + kept);
}

}  // namespace

NORMPROOF_DEVICE int bit_width(std::uint64_t v) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (v >> step == 0) continue;
    width += step;
    v >>= step;
  }
  return width + (v != 0);
}

NORMPROOF_DEVICE FixedPoint::FixedPoint(int limbs, std::uint64_t integer) : limbs_(limbs) {
  for (int i = 0; i < limbs; ++i) limb_[i] = 0;
  limb_[limbs_ - 1] = integer;
}

NORMPROOF_DEVICE FixedPoint::FixedPoint(int limbs, const unsigned long long* constant, int count)
    : limbs_(limbs) {
  for (int i = 0; i < limbs_; ++i) limb_[i] = constant[count - limbs + i];
  error_ = 1;
}

NORMPROOF_DEVICE FixedPoint FixedPoint::from_double(int limbs, double x, int exponent) {
  FixedPoint r(limbs);
  const auto bits = __builtin_bit_cast(std::uint64_t, x) & ~(std::uint64_t{1} << 63);
  const int biased = static_cast<int>(bits >> 52);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t m = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  // The position of the lowest bit of m, counted from the lowest bit of the number.
  const int at = larger(biased, 1) - 1075 + exponent + 64 * (limbs - 1);
  for (int i = 0; i < 53; ++i) {
    if ((m >> i & 1) == 0) continue;
    if (at + i < 0) {
      r.error_ = 1;
    } else {
      r.limb_[(at + i) / 64] |= std::uint64_t{1} << (at + i) % 64;
    }
  }
  return r;
}

NORMPROOF_DEVICE FixedPoint& FixedPoint::operator+=(const FixedPoint& b) {
  Wide carry = 0;
  for (int i = 0; i < limbs_; ++i) {
    carry += Wide{limb_[i]} + b.limb_[i];
    limb_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  add_error(b.error_);
  return *this;
}

NORMPROOF_DEVICE FixedPoint& FixedPoint::operator-=(const FixedPoint& b) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < limbs_; ++i) {
    const Wide difference = Wide{limb_[i]} - b.limb_[i] - borrow;
    limb_[i] = static_cast<std::uint64_t>(difference);
    borrow = (difference >> 64) != 0;
  }
  add_error(b.error_);
  return *this;
}

// The error of the product is a b - A B = A (b - B) + B (a - A) + (a - A)(b - B), where A and B are
// the exact operands. Truncating the double-width product adds one unit.
NORMPROOF_DEVICE FixedPoint operator*(const FixedPoint& a, const FixedPoint& b) {
  const int n = a.limbs_;
  std::uint64_t product[2 * FixedPoint::kMaxLimbs];
  for (int i = 0; i < 2 * n; ++i) product[i] = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < n; ++j) {
      const Wide t = Wide{a.limb_[i]} * b.limb_[j] + product[i + j] + carry;
      product[i + j] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    product[i + n] = carry;
  }
  FixedPoint r(n);
  for (int i = 0; i < n; ++i) r.limb_[i] = product[n - 1 + i];
  // Returns |v| times an error, rounded up. |v| is bounded by its integer part plus its next limb
  // plus one unit of that limb.
  const auto scaled = [n](const FixedPoint& v, std::uint64_t error) {
    const Wide fraction = (Wide{v.limb_[n - 2]} + 1) * error;
    return saturate_to_64_bits(Wide{v.limb_[n - 1]} * error + (fraction >> 64) + 1);
  };
  const Wide of_errors = (Wide{a.error_} * b.error_ >> 64) + 1;
  r.error_ = saturate_to_64_bits(Wide{scaled(a, b.error_)} + scaled(b, a.error_) + of_errors + 1);
  return r;
}

NORMPROOF_DEVICE FixedPoint& FixedPoint::operator*=(std::uint64_t b) {
  std::uint64_t carry = 0;
  for (int i = 0; i < limbs_; ++i) {
    const Wide t = Wide{limb_[i]} * b + carry;
    limb_[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
  error_ = saturate_to_64_bits(Wide{error_} * b);
  return *this;
}

NORMPROOF_DEVICE FixedPoint& FixedPoint::operator/=(std::uint32_t b) {
  std::uint64_t remainder = 0;
  for (int i = limbs_; i-- > 0;) {
    const std::uint64_t high = remainder << 32 | limb_[i] >> 32;
    const std::uint64_t low = high % b << 32 | (limb_[i] & 0xffffffff);
    limb_[i] = high / b << 32 | low / b;
    remainder = low % b;
  }
  if (error_ != ~std::uint64_t{0}) error_ = error_ / b + (error_ % b != 0);
  add_error(remainder != 0);
  return *this;
}

NORMPROOF_DEVICE FixedPoint& FixedPoint::operator>>=(int bits) {
  const int whole = bits / 64, part = bits % 64;
  for (int i = 0; i < limbs_; ++i) {
    const std::uint64_t low = i + whole < limbs_ ? limb_[i + whole] : 0;
    const std::uint64_t high = i + whole + 1 < limbs_ ? limb_[i + whole + 1] : 0;
    limb_[i] = part == 0 ? low : low >> part | high << (64 - part);
  }
  if (error_ != ~std::uint64_t{0}) error_ = bits >= 64 ? error_ != 0 : (error_ >> part) + 1;
  add_error(1);
  return *this;
}

// Newton's iteration y += y (1 - b y) approaches 1/b from below, because y (2 - b y) <= 1/b. The
// residual 1 - b y is computed at most one unit too small and never too large, so b y <= 1 stays
// true. For the exact operand B, the final error is 1/B - y = (1 - B y)/B. It is bounded by |1 - B
// y| <= (1 - b y) + error of b, because y <= 1 <= B.
NORMPROOF_DEVICE FixedPoint reciprocal(const FixedPoint& b) {
  const int n = b.limbs_;
  const FixedPoint one(n, 1);
  FixedPoint exact = b, unit(n), rest(n);
  exact.error_ = 0;
  unit.limb_[0] = 1;
  FixedPoint y = FixedPoint::from_double(n, (1 - 0x1p-40) / b.approximate());
  for (int bits = 32;; bits *= 2) {
    rest = exact * y;
    rest += unit;
    rest = rest.at_least(one) ? FixedPoint(n) : FixedPoint(one) -= rest;
    if (bits >= 64 * n) break;
    y += y * rest;
  }
  bool small = true;
  for (int i = 1; i < n; ++i) small = small && rest.limb_[i] == 0;
  y.error_ = small ? saturate_to_64_bits(Wide{rest.limb_[0]} + b.error_ + 1) : ~std::uint64_t{0};
  return y;
}

NORMPROOF_DEVICE bool FixedPoint::is_zero() const {
  for (int i = 0; i < limbs_; ++i)
    if (limb_[i] != 0) return false;
  return true;
}

NORMPROOF_DEVICE bool FixedPoint::at_least(const FixedPoint& b) const {
  for (int i = limbs_; i-- > 0;) {
    if (limb_[i] != b.limb_[i]) return limb_[i] > b.limb_[i];
  }
  return true;
}

NORMPROOF_DEVICE double FixedPoint::approximate() const {
  return static_cast<double>(integer()) + static_cast<double>(limb_[limbs_ - 2]) * 0x1p-64;
}

NORMPROOF_DEVICE void FixedPoint::add_error(std::uint64_t units) {
  error_ = saturate_to_64_bits(Wide{error_} + units);
}

NORMPROOF_DEVICE bool FixedPoint::round(int exponent, double* result) const {
  if (error_ == ~std::uint64_t{0}) return false;
  FixedPoint low = *this, high = *this, width(limbs_);
  width.limb_[0] = error_;
  if (!at_least(width)) return false;
  low -= width;
  high += width;
  const int last_place = exponent - 64 * (limbs_ - 1);
  *result = nearest_double(low.limb_, limbs_, last_place);
  return *result == nearest_double(high.limb_, limbs_, last_place);
}

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
