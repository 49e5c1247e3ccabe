#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/device/simulated_launch.hpp"
#include "gpu/ops/library_gemm.hpp"

// Simulates a matrix product library for a GPU. Like a real library, it guarantees the format of
// the sums but not their order.
namespace normproof::gpu::ops {
namespace {

using device::Permutation;

/// How the terms of one element of a product are added. With `chain`, they are added one after the
/// other along a permutation. With `tree`, they are added in pairs over a permutation. With
/// `split`, parts of neighboring terms are summed, then the sums of the parts are added.
enum class SummationStyle { chain, tree, split };

/// The order in which one product adds its terms. Order 0 is the chain of ascending terms.
struct ProductOrder {
  explicit ProductOrder(std::uint64_t order)
      : order_(order),
        style(order == 0 ? SummationStyle::chain : static_cast<SummationStyle>(order % 3)),
        fuses(order / 3 % 2 == 0),
        parts(2 + order / 6 % 7),
        at_once(order == 0 ? 1 : std::size_t{1} << order / 6 % 5) {}

  std::uint64_t order_;
  SummationStyle style;
  bool fuses;           ///< fma instead of a rounded product
  std::size_t parts;    ///< the number of parts, for SummationStyle::split
  std::size_t at_once;  ///< the number of terms per operation of truncating sums
};

/// A product of two operands, and its magnitude, by which it is aligned with other terms.
struct Term {
  double value, magnitude;
};

class Adder {
 public:
  Adder(const SimulatedSums& sums, std::uint64_t order) : sums_(sums), draw_(order) {}

  /// Returns   sum + x y in the format of the sums. If this format is double, the result is one fma
  ///           if `fuses` is true, else a rounded product and a rounded sum. In any other format
  ///           the result is rounded once, because the product x y is exact for operands of at most
  ///           26 bits
  double plus(double sum, double x, double y) const {
    if (is_double()) return draw_.fuses ? std::fma(x, y, sum) : sum + x * y;
    return plus(sum, x * y);
  }
  double plus(double a, double b) const {
    if (is_double()) return a + b;
    const double sum = a + b;
    if (!std::isfinite(sum)) return sum;
    const double part = sum - a, rest = (a - (sum - part)) + (b - part);
    return round_to_format(round_to_odd(sum, rest));
  }
  /// Returns x y and the magnitude by which tensor cores align it. A subnormal operand counts as
  /// min_aligned_magnitude. If x y is 0, the magnitude is 0.
  Term product(double x, double y) const {
    if (x == 0 || y == 0) return {x * y, 0};
    return {x * y, std::max(std::fabs(x), sums_.min_aligned_magnitude) *
                       std::max(std::fabs(y), sums_.min_aligned_magnitude)};
  }
  /// Adds several terms as tensor cores do: aligns all to the largest one, truncates them, adds
  /// them and truncates the sum.
  double add_with_truncation(const std::vector<Term>& terms) const {
    double largest = 0;
    for (const Term& term : terms) largest = std::max(largest, term.magnitude);
    if (largest == 0) return 0;
    double total = 0;
    if (!std::isfinite(largest)) {
      for (const Term& term : terms) total += term.value;
      return total;
    }
    const int unit =
        std::max(std::ilogb(largest), sums_.format.min_exponent) - sums_.format.digits + 1;
    for (const Term& term : terms)
      total += std::ldexp(std::trunc(std::ldexp(term.value, -unit)), unit);
    return round_to_format(total);
  }
  bool truncates() const { return sums_.truncates; }
  const ProductOrder& draw() const { return draw_; }

 private:
  bool is_double() const { return sums_.format.digits == 53; }
  /// Rounds `sum` to odd: sets its last bit if `rest`, the rounding error, is nonzero. Rounding the
  /// result to fewer bits then gives the same as rounding the exact sum once.
  static double round_to_odd(double sum, double rest) {
    if (rest == 0 || (__builtin_bit_cast(std::uint64_t, sum) & 1) == 1) return sum;
    return std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
  }
  double round_to_format(double v) const {
    if (!sums_.truncates) return round_to(sums_.format, v);
    if (v == 0 || !std::isfinite(v)) return v;
    const int unit = std::max(std::ilogb(v), sums_.format.min_exponent) - sums_.format.digits + 1;
    const double kept = std::ldexp(std::trunc(std::ldexp(v, -unit)), unit);
    return std::fabs(kept) > sums_.format.largest ? std::copysign(HUGE_VAL, v) : kept;
  }

  SimulatedSums sums_;
  ProductOrder draw_;
};

/// Adds `count` terms one after the other, starting at position `place` of the permutation.
template <class Left, class Right>
double chain(const Adder& adder, const Permutation& order, std::size_t place, std::size_t count,
             const Left& left, const Right& right) {
  double sum = 0;
  if (!adder.truncates()) {
    for (std::size_t i = 0; i < count; ++i, place = order.next(place))
      sum = adder.plus(sum, left(place), right(place));
    return sum;
  }
  std::vector<Term> together;
  for (std::size_t i = 0; i < count; i += adder.draw().at_once) {
    together.assign(1, {sum, std::fabs(sum)});
    for (std::size_t j = i; j < std::min(count, i + adder.draw().at_once); ++j) {
      together.push_back(adder.product(left(place), right(place)));
      place = order.next(place);
    }
    sum = adder.add_with_truncation(together);
  }
  return sum;
}

/// Adds neighboring sums in pairs until one sum is left.
double sum_as_tree(const Adder& adder, std::vector<double> sums) {
  while (sums.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sums.size(); i += 2)
      sums[kept++] = i + 1 < sums.size() ? adder.plus(sums[i], sums[i + 1]) : sums[i];
    sums.resize(kept);
  }
  return sums.empty() ? 0 : sums.front();
}

template <class Left, class Right>
double element(const Adder& adder, std::size_t terms, const Left& left, const Right& right) {
  const ProductOrder& draw = adder.draw();
  if (terms == 0) return 0;
  const Permutation order(draw.order_, terms);
  if (draw.style == SummationStyle::chain)
    return chain(adder, order, order.first(), terms, left, right);
  std::vector<double> sums;
  if (draw.style == SummationStyle::tree) {
    std::size_t place = order.first();
    for (std::size_t i = 0; i < terms; ++i, place = order.next(place))
      sums.push_back(adder.plus(0, left(place), right(place)));
  } else {
    const Permutation ascending_order(0, terms);
    const std::size_t each = (terms + draw.parts - 1) / draw.parts;
    for (std::size_t begin = 0; begin < terms; begin += each)
      sums.push_back(
          chain(adder, ascending_order, begin, std::min(each, terms - begin), left, right));
  }
  return sum_as_tree(adder, std::move(sums));
}

}  // namespace

double PackedMatrices::at(std::size_t batch, std::size_t row, std::size_t column) const {
  const std::size_t i = batch * batch_stride() + row * columns + column;
  if (are_stored_as_float32()) return static_cast<double>(float32.span()[i]);
  return ref::numeric::decode(ref::numeric::float_format_info(type), bits16.span()[i]);
}

void simulated_gemm(Device& device, const SimulatedSums& sums, const Matrices<double>& c,
                    const Matrices<const double>& a, const Matrices<const double>& b, bool add) {
  device.enqueue([adder = Adder(sums, device.next_order()), c, a, b, add] {
    for (std::size_t p = 0; p < c.batches(); ++p)
      for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t j = 0; j < c.columns; ++j) {
          const double sum = element(
              adder, a.columns, [&](std::size_t k) { return a.at(p, i, k); },
              [&](std::size_t k) { return b.at(p, k, j); });
          double& to = c.at(p, i, j);
          to = add ? adder.plus(to, sum) : sum;
        }
  });
}

void simulated_gemm(Device& device, const SimulatedSums& sums, const device::DeviceTensor<float>& c,
                    const PackedMatrices& a, const PackedMatrices& b) {
  device::DeviceTensor<float> result = c;
  device.enqueue(
      [adder = Adder(sums, device.next_order()), to = result.span(), batches = c.shape()[0], a, b] {
        for (std::size_t p = 0; p < batches; ++p)
          for (std::size_t i = 0; i < a.rows; ++i)
            for (std::size_t j = 0; j < b.columns; ++j)
              to[(p * a.rows + i) * b.columns + j] = static_cast<float>(element(
                  adder, a.columns, [&](std::size_t k) { return a.at(p, i, k); },
                  [&](std::size_t k) { return b.at(p, k, j); }));
      });
}

}  // namespace normproof::gpu::ops
