#include <cmath>
#include <cstdio>
#include <vector>

#include "ref/norm/layer_norm.hpp"
#include "ref/norm/rms_norm.hpp"
#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/random.hpp"

// Prints randomly drawn rows and the bounds that the gate uses for them. The script
// gate_formula_against_gate reads the output. Each line has a name, followed by numbers in
// hexadecimal.
namespace {

using namespace normproof::ref;
using numeric::any_order_error;
using tensor::Tensor;

void print(const char* name, const std::vector<double>& numbers) {
  std::printf("%s", name);
  for (const double v : numbers) std::printf(" %a", v);
  std::printf("\n");
}

Tensor<any_order_error> row(const std::vector<double>& numbers, bool of_rank_2) {
  auto t = tensor::empty_tensor<any_order_error>(of_rank_2 ? tensor::Shape{1, numbers.size()}
                                                           : tensor::Shape{numbers.size()});
  for (std::size_t i = 0; i < numbers.size(); ++i) t.data()[i] = any_order_error(numbers[i]);
  return t;
}

/// Draws a row of n elements and prints the gate's bounds. If `scale` is 1, the arithmetic flushes
/// subnormal numbers to 0. If `scale` is not 1, the elements are so small that their squares are
/// subnormal numbers, and the arithmetic keeps these. If `has_zeros` is false, the variance is
/// about 1 at every offset.
void print_case(bool centred, numeric::FloatType format, std::size_t n, double offset, double eps,
                double scale = 1, bool has_zeros = true) {
  const numeric::RandomStream stream(20260101, "proofs/gate_bounds");
  std::vector<double> x, gamma, beta, value, error;
  for (std::size_t i = 0; i < n; ++i) {
    const auto draw = [&](std::size_t k) { return std::rint(32 * stream.normal(3 * i + k)) / 32; };
    x.push_back(has_zeros && i % 5 == 3 ? 0 : scale * (offset + draw(0)));
    gamma.push_back(draw(1));
    beta.push_back(i % 7 == 2 ? 0 : draw(2));
  }
  numeric::Arithmetic arithmetic = numeric::arithmetic_of_type(format);
  if (scale != 1) arithmetic.tiny *= 4 * arithmetic.unit_roundoff;
  const numeric::AnyOrderArithmetic scope(arithmetic);
  const norm::Affine<any_order_error> affine{row(gamma, false), row(beta, false)};
  const Tensor<any_order_error> input = row(x, true);
  const Tensor<any_order_error> y = centred ? norm::layer_norm(input, affine, {.eps = eps}).y
                                            : norm::rms_norm(input, affine, {.eps = eps}).y;
  for (const any_order_error& v : y) {
    value.push_back(v.value);
    error.push_back(v.error);
  }
  std::printf("%s %zu\n", centred ? "layer_norm" : "rms_norm", n);
  print("format", {arithmetic.unit_roundoff, arithmetic.tiny, arithmetic.largest});
  print("eps", {eps});
  print("x", x);
  print("gamma", gamma);
  print("beta", beta);
  print("value", value);
  print("error", error);
}

}  // namespace

int main() {
  using numeric::FloatType;
  for (const bool centred : {true, false}) {
    for (const std::size_t n : {2U, 3U, 4U, 7U, 16U, 33U, 70U})
      print_case(centred, FloatType::float32, n, n % 2 == 0 ? 0 : 100, n == 4 ? 0 : 1e-5);
    print_case(centred, FloatType::float64, 5, 1, 0x1p-10);
    print_case(centred, FloatType::bfloat16, 6, 0, 1e-3);
    print_case(centred, FloatType::float32, 9, 2, 0, 0x1p-69);
    print_case(centred, FloatType::float32, 5, 1, 1e-5, 0x1p-40);
    print_case(centred, FloatType::float64, 6, 3, 0x1p-100, 0x1p-30);
    // The lower bound of the variance decides: the error of the mean exceeds the deviations.
    print_case(centred, FloatType::float32, 12, 0x1p+21, 1e-5, 1, false);
    // It is unknown if the errors of the elements exceed the deviations, or in sums of many terms.
    print_case(centred, FloatType::float32, 11, 0x1p+24, 1e-5, 1, false);
    print_case(centred, FloatType::bfloat16, 120, 0, 1e-3);
  }
  return 0;
}
