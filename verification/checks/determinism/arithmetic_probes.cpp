#include "ref/numeric/multiply_add.hpp"
#include "ref/numeric/square_root.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

constexpr std::size_t kCount = 1024;

// Divides numbers of all magnitudes, so that some quotients overflow and some are subnormal.
void divide(Values& values) {
  Inputs inputs("arithmetic/divide");
  for (std::size_t i = 0; i < kCount; ++i) {
    const double a = inputs.wide_range_number(-1074, 1023);
    values.add(a / inputs.wide_range_number(-1074, 1023));
  }
}

void square_root(Values& values) {
  Inputs inputs("arithmetic/square_root");
  for (std::size_t i = 0; i < kCount; ++i) {
    const double a = inputs.wide_range_number(-1074, 1023);
    values.add(ref::numeric::square_root(a < 0 ? -a : a));
  }
}

// Tests fma(a, b, c) where c is close to -a b, so that rounding a b first would change the result.
void multiply_add(Values& values) {
  Inputs inputs("arithmetic/multiply_add");
  for (std::size_t i = 0; i < kCount; ++i) {
    const double a = inputs.wide_range_number(-540, 500);
    const double b = inputs.wide_range_number(-540, 500);
    const double near = -(a * b);
    values.add(ref::numeric::multiply_add(a, b, near));
    values.add(ref::numeric::multiply_add(a, b, near * inputs.uniform(0.5, 2)));
    values.add(ref::numeric::multiply_add(a, b, inputs.wide_range_number(-1074, 1023)));
  }
}

// Computes a b + c by the contract, which rounds the product before the sum. A compiler may
// contract a product and a sum to an fma only if all uses of the product are nearby. The sum and
// the difference therefore have separate loops.
void probe_separate_product(Values& values) {
  Inputs inputs("arithmetic/separate_product");
  std::vector<double> a(kCount), b(kCount), c(kCount), d(kCount), sum(kCount), difference(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    a[i] = inputs.uniform(-1, 1);
    b[i] = inputs.uniform(-1, 1);
    c[i] = inputs.uniform(-1, 1);
    d[i] = inputs.uniform(-1, 1);
  }
  for (std::size_t i = 0; i < kCount; ++i) sum[i] = a[i] * b[i] + c[i];
  for (std::size_t i = 0; i < kCount; ++i) difference[i] = d[i] - a[i] * b[i];
  for (std::size_t i = 0; i < kCount; ++i) {
    values.add(sum[i]);
    values.add(difference[i]);
  }
}

// Uses subnormal operands and results, which become 0 if the processor flushes subnormals.
void probe_subnormals(Values& values) {
  Inputs inputs("arithmetic/subnormal");
  for (std::size_t i = 0; i < kCount; ++i) {
    const double a = inputs.wide_range_number(-1074, -1020);
    const double b = inputs.wide_range_number(-1074, -1020);
    values.add(a + b);
    values.add(a - b);
    values.add(a * inputs.wide_range_number(-3, 60));
    const double c = inputs.wide_range_number(-500, -490);
    values.add(c * inputs.wide_range_number(-560, -530));
  }
}

}  // namespace

void add_arithmetic_probes(std::vector<Probe>& probes) {
  probes.push_back({"arithmetic/divide", divide});
  probes.push_back({"arithmetic/square_root", square_root});
  probes.push_back({"arithmetic/multiply_add", multiply_add});
  probes.push_back({"arithmetic/separate_product", probe_separate_product});
  probes.push_back({"arithmetic/subnormal", probe_subnormals});
}

}  // namespace normproof::verification::checks::determinism
