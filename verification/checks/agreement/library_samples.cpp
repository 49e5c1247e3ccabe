#include "verification/checks/agreement/library_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ref/numeric/random.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using ref::numeric::RandomStream;
using ref::tensor::Shape;
using ref::tensor::Tensor;

struct SampleExtents {
  std::size_t batch, m, k, n;
};
const SampleExtents kQuick[] = {{1, 1, 1, 1},  {1, 1, 600, 1},  {1, 3, 255, 5}, {1, 5, 257, 3},
                                {3, 4, 33, 2}, {1, 33, 40, 17}, {1, 700, 3, 2}, {1, 3, 1025, 4}};
const SampleExtents kStandard[] = {
    {1, 65, 512, 33}, {1, 9, 4096, 7}, {4, 32, 64, 48}, {1, 70000, 2, 1}};

enum class OperandKind { moderate, one_signed, graded, cancelling, integers, powers };
const char* name_of(OperandKind kind) {
  constexpr const char* kNames[] = {"moderate",   "one_signed", "graded",
                                    "cancelling", "integers",   "powers"};
  return kNames[static_cast<int>(kind)];
}

/// Returns the largest integer n with this property: if no operand is larger than n, then a sum of
/// `count` + 1 products is representable.
double largest_integer(const ProductArithmetic& arithmetic, std::size_t count) {
  const double sums = arithmetic.sum_unit == 0x1p-53 ? 0x1p52 : 0x1p23;
  return std::min(std::floor(std::sqrt(sums / (static_cast<double>(count) + 1))),
                  std::ldexp(1, arithmetic.operand.digits));
}

/// Generates the elements of an operand of a product `a b`. The argument `line` of its call
/// operator is a row number for the operand `a`, and a column number for the operand `b`.
class OperandElements {
 public:
  OperandElements(std::uint64_t seed, const std::string& name, OperandKind kind, double largest)
      : random_(seed, name), scale_(seed, name + "/scale"), kind_(kind), largest_(largest) {}

  double operator()(std::uint64_t i, std::size_t k, std::size_t count, std::size_t line) const {
    const double normal = random_.normal(i);
    const auto power = [](double e) { return std::ldexp(1, static_cast<int>(e)); };
    const double of_line = power(static_cast<double>(scale_.below(line + (1u << 20), 7)) - 3);
    switch (kind_) {
      case OperandKind::moderate:
        return normal * power(static_cast<double>(scale_.below(i, 13)) - 6);
      case OperandKind::one_signed:
        return 1 + random_.uniform(i);
      case OperandKind::graded:
        return normal * power(8 - 16 * static_cast<double>(k) / static_cast<double>(count));
      case OperandKind::cancelling:
        return (k % 2 == 0 ? 1 : -1) * (1 + random_.uniform(i) * 0x1p-10);
      case OperandKind::integers:
        return of_line * (std::floor(random_.uniform(i) * (2 * largest_ + 1)) - largest_);
      default:
        return of_line * (normal < 0 ? -1 : 1) *
               power(std::floor(random_.uniform(i) * (std::log2(largest_) + 1)));
    }
  }

 private:
  RandomStream random_, scale_;
  OperandKind kind_;
  double largest_;
};

ProductSample make_sample(std::uint64_t seed, const ProductArithmetic& arithmetic,
                          const SampleExtents& e, OperandKind kind, bool a_transposed,
                          bool b_transposed, bool add) {
  const auto [batch, m, k, n] = e;
  ProductSample s{
      fmt::format("{}/[{}, {}, {}, {}]{}{}{}", name_of(kind), batch, m, k, n,
                  a_transposed ? "/a^T" : "", b_transposed ? "/b^T" : "", add ? "/added" : ""),
      {},
      {},
      {},
      a_transposed,
      b_transposed,
      add};
  const double largest = largest_integer(arithmetic, k);
  const OperandElements elements_of_a(seed, s.name + "/a", kind, largest),
      elements_of_b(seed, s.name + "/b", kind, largest);
  s.a = ref::tensor::empty_tensor<double>({batch, a_transposed ? k : m, a_transposed ? m : k});
  s.b = ref::tensor::empty_tensor<double>({b_transposed ? n : k, b_transposed ? k : n});
  s.c = ref::tensor::full_tensor<double>({batch, m, n}, 0.0);
  for (std::size_t p = 0; p < batch; ++p)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t t = 0; t < k; ++t) {
        const std::size_t at = p * m * k + (a_transposed ? t * m + i : i * k + t);
        s.a.data()[at] = elements_of_a(at, t, k, i);
      }
  for (std::size_t t = 0; t < k; ++t)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = b_transposed ? j * k + t : t * n + j;
      s.b.data()[at] = elements_of_b(at, t, k, j);
    }
  if (!add) return s;
  // The old value of c is a product too, that of the last term.
  for (std::size_t p = 0; p < batch; ++p)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t t = k - 1;
        s.c.data()[(p * m + i) * n + j] =
            s.a.data()[p * m * k + (a_transposed ? t * m + i : i * k + t)] *
            s.b.data()[b_transposed ? j * k + t : t * n + j];
      }
  return s;
}

}  // namespace

std::vector<ProductSample> product_samples(std::uint64_t seed, const ProductArithmetic& arithmetic,
                                           golden::corpus::Tier tier, bool exact) {
  std::vector<SampleExtents> extents(std::begin(kQuick), std::end(kQuick));
  if (tier != golden::corpus::Tier::quick)
    extents.insert(extents.end(), std::begin(kStandard), std::end(kStandard));
  const std::vector<OperandKind> kinds =
      exact ? std::vector{OperandKind::integers, OperandKind::powers}
            : std::vector{OperandKind::moderate, OperandKind::one_signed, OperandKind::graded,
                          OperandKind::cancelling};
  std::vector<ProductSample> samples;
  for (const SampleExtents& e : extents)
    for (const OperandKind kind : kinds)
      for (int way = 0; way < 4; ++way)
        samples.push_back(make_sample(seed, arithmetic, e, kind, way == 1, way == 2, way == 3));
  return samples;
}

ref::tensor::Tensor<double> make_moderate_tensor(std::uint64_t seed, const std::string& name,
                                                 const Shape& shape) {
  const OperandElements of(seed, name, OperandKind::moderate, 1);
  Tensor<double> values = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = of(i, 0, 1, 0);
  return values;
}

}  // namespace normproof::verification::checks::agreement
