#include "ref/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::ops {
namespace {

using tensor::shape_of;

using numeric::kInfinity;
using numeric::kNaN;

Mask random_mask(const Shape& shape, std::string_view stream) {
  const numeric::RandomStream random(8, stream);
  Mask valid = tensor::empty_tensor<bool>(shape);
  for (std::size_t i = 0; i < valid.size(); ++i) valid.data()[i] = random.below(i, 3) > 0;
  return valid;
}

Mask mask_from_bits(const Shape& shape, std::size_t bits) {
  Mask valid = tensor::empty_tensor<bool>(shape);
  for (std::size_t i = 0; i < valid.size(); ++i) valid.data()[i] = (bits >> i & 1) != 0;
  return valid;
}

// Returns whether the mask, of shape [N, D], has a row without true elements.
bool has_empty_row(const Mask& valid) {
  for (std::size_t row = 0; row < valid.shape(0); ++row) {
    bool any = false;
    for (std::size_t i = 0; i < valid.shape(1); ++i) any = any || valid(row, i);
    if (!any) return true;
  }
  return false;
}

bool is_valid_element(const Mask& valid, std::size_t i) {
  return valid.dimension() == 0 || valid.size() == 0 || valid.data()[i];
}

// A function of ref/ops/softmax.hpp and its backward. `forward(x, valid)` returns y, and
// `backward(grad_y, x, valid)` returns grad_x. `masked` is false if the function takes no mask.
template <class T>
struct SoftmaxFunction {
  std::string name;
  std::function<Tensor<T>(const Tensor<T>&, const Mask&)> forward;
  std::function<Tensor<T>(const Tensor<T>&, const Tensor<T>&, const Mask&)> backward;
  bool masked = true;
};
template <class T>
std::vector<SoftmaxFunction<T>> all_softmax_functions() {
  return {{"softmax", softmax<T>,
           [](const Tensor<T>& grad_y, const Tensor<T>& x, const Mask& valid) {
             return softmax_backward(grad_y, softmax(x, valid), valid);
           }},
          {"log_sum_exp", log_sum_exp<T>, log_sum_exp_backward<T>},
          {"log_softmax", [](const Tensor<T>& x, const Mask&) { return log_softmax(x); },
           [](const Tensor<T>& grad_y, const Tensor<T>& x, const Mask&) {
             return log_softmax_backward(grad_y, log_softmax(x));
           },
           false}};
}

// The output and the gradient at 100 digits, computed from the definition without code of ref/ops:
// the maximum is not subtracted, sums run from left to right, and the gradient uses the whole
// Jacobian.
struct ExactSoftmax {
  Tensor<oracle100> y;
  Tensor<oracle100> grad_x;
};
ExactSoftmax exact_softmax(std::string_view name, const Tensor<double>& x,
                           const Tensor<double>& grad_y, const Mask& valid) {
  const std::size_t width = x.shape(x.dimension() - 1);
  const bool reduces = name == "log_sum_exp";
  Shape leading = shape_of(x);
  leading.pop_back();
  ExactSoftmax d{tensor::full_tensor<oracle100>(reduces ? leading : shape_of(x), oracle100(0)),
                 tensor::full_tensor<oracle100>(shape_of(x), oracle100(0))};
  for (std::size_t row = 0; row < x.size() / width; ++row) {
    const std::size_t first = row * width;
    oracle100 sum(0);
    std::vector<oracle100> p(width);
    for (std::size_t i = 0; i < width; ++i)
      if (is_valid_element(valid, first + i))
        sum += p[i] = numeric::mp::exp(oracle100(x.data()[first + i]));
    if (sum == 0) continue;
    for (auto& v : p) v /= sum;
    if (reduces) d.y.data()[row] = numeric::mp::log(sum);
    for (std::size_t j = 0; j < width; ++j) {
      if (name == "softmax") d.y.data()[first + j] = p[j];
      if (name == "log_softmax")
        d.y.data()[first + j] = x.data()[first + j] - numeric::mp::log(sum);
      oracle100& grad = d.grad_x.data()[first + j];
      if (reduces) grad = oracle100(grad_y.data()[row]) * p[j];
      for (std::size_t i = 0; i < width && !reduces; ++i) {
        const oracle100 jacobian = (i == j ? 1 : 0) - p[j];
        grad += grad_y.data()[first + i] * (name == "softmax" ? p[i] * jacobian : jacobian);
      }
    }
  }
  return d;
}

Shape result_shape(std::string_view name, Shape shape) {
  if (name == "log_sum_exp") shape.pop_back();
  return shape;
}

class SoftmaxTest : public ::testing::Test {
 protected:
  void TearDown() override { restore_default_settings(); }
};

TEST_F(SoftmaxTest, MatchesHandComputedValues) {
  EXPECT_BITS_EQ(softmax(Tensor<double>{{3, 3}, {0, -kInfinity}}, {{true, true}, {true, false}}),
                 (Tensor<double>{{0.5, 0.5}, {1, 0}}));
  EXPECT_BITS_EQ(softmax_backward(Tensor<double>{1, 3}, Tensor<double>{0.5, 0.5}),
                 (Tensor<double>{-0.5, 0.5}));
  EXPECT_BITS_EQ(softmax_backward(Tensor<double>{4, 2, 1}, Tensor<double>{0.25, 0.25, 0.5}),
                 (Tensor<double>{0.5, 0, -0.5}));
  EXPECT_BITS_EQ(log_sum_exp_backward(Tensor<double>{6, 2}, Tensor<double>{{1, 1}, {-9, -9}}),
                 (Tensor<double>{{3, 3}, {1, 1}}));
  const double log_2 = numeric::log(2.0);
  EXPECT_BITS_EQ(log_sum_exp(Tensor<double>{{5, 5}, {0, 0}}), (Tensor<double>{5 + log_2, log_2}));
  EXPECT_BITS_EQ(log_softmax(Tensor<double>{5, 5}), (Tensor<double>{-log_2, -log_2}));
  EXPECT_BITS_EQ(log_softmax_backward(Tensor<double>{3, 1}, Tensor<double>{0, -800}),
                 (Tensor<double>{-1, 1}));
}

// The expected values follow docs/specification/activations.md literally: the maximum m, the
// exponentials of x - m, their sum by rule R2 over the unmasked elements, and the division.
TEST_F(SoftmaxTest, FollowsTheSpecification) {
  bool order_changes_the_sum = false;
  for (const std::size_t width : {1u, 2u, 31u, 32u, 33u, 63u, 100u, 513u, 1000u}) {
    const Tensor<double> x = random_tensor({1, width}, "specification", 3);
    const Tensor<double> grad_y = random_tensor({1, width}, "specification gradient");
    for (const Mask& valid : {Mask{}, random_mask({1, width}, "specification")}) {
      std::vector<double> e, products;
      double m = -kInfinity, left_to_right = 0;
      for (std::size_t i = 0; i < width; ++i)
        if (is_valid_element(valid, i)) m = std::max(m, x.data()[i]);
      for (std::size_t i = 0; i < width; ++i) {
        if (!is_valid_element(valid, i)) continue;
        e.push_back(numeric::exp(x.data()[i] - m));
        left_to_right += e.back();
      }
      if (e.empty()) continue;
      const double sum = sum_in_32_lanes(e);
      order_changes_the_sum = order_changes_the_sum || sum != left_to_right;
      const Tensor<double> y = softmax(x, valid);
      const Tensor<double> log_y = log_softmax(x);
      std::size_t k = 0;
      for (std::size_t i = 0; i < width; ++i) {
        const double expected = is_valid_element(valid, i) ? e[k++] / sum : 0.0;
        EXPECT_BITS_EQ(y.data()[i], expected);
        if (is_valid_element(valid, i)) products.push_back(grad_y.data()[i] * expected);
        if (valid.dimension() == 0) {
          EXPECT_BITS_EQ(log_y.data()[i], x.data()[i] - m - numeric::log(sum));
        }
      }
      EXPECT_BITS_EQ(log_sum_exp(x, valid).data()[0], m + numeric::log(sum));
      const double dot = sum_in_32_lanes(products);
      const Tensor<double> grad_x = softmax_backward(grad_y, y, valid);
      for (std::size_t i = 0; i < width; ++i)
        EXPECT_BITS_EQ(grad_x.data()[i],
                       is_valid_element(valid, i) ? y.data()[i] * (grad_y.data()[i] - dot) : 0.0);
    }
  }
  EXPECT_TRUE(order_changes_the_sum) << "the data cannot tell orders of summation apart";
}

// Masked elements must not affect the result and must not be read.
TEST_F(SoftmaxTest, MaskedRowEqualsTheRowWithoutMaskedElements) {
  const std::size_t width = 150;
  Tensor<double> x = random_tensor({1, width}, "gaps", 5);
  const Tensor<double> grad_y = random_tensor({1, width}, "gaps gradient");
  const Mask valid = random_mask({1, width}, "gaps");
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < width; ++i) {
    if (valid.data()[i])
      kept.push_back(i);
    else
      x.data()[i] = i % 3 == 0 ? -kInfinity : i % 3 == 1 ? kInfinity : kNaN;
  }
  Tensor<double> short_x = tensor::empty_tensor<double>({1, kept.size()}), short_grad_y = short_x;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    short_x.data()[k] = x.data()[kept[k]];
    short_grad_y.data()[k] = grad_y.data()[kept[k]];
  }
  const auto expect_repeated = [&](const Tensor<double>& got, const Tensor<double>& expected) {
    Tensor<double> spread = tensor::full_tensor<double>({1, width}, 0.0);
    for (std::size_t k = 0; k < kept.size(); ++k) spread.data()[kept[k]] = expected.data()[k];
    EXPECT_BITS_EQ(got, spread);
  };
  const Tensor<double> y = softmax(x, valid), short_y = softmax(short_x);
  expect_repeated(y, short_y);
  expect_repeated(softmax_backward(grad_y, y, valid), softmax_backward(short_grad_y, short_y));
  EXPECT_BITS_EQ(log_sum_exp(x, valid), log_sum_exp(short_x));
  const Tensor<double> grad_row = {0.7};
  expect_repeated(log_sum_exp_backward(grad_row, x, valid),
                  log_sum_exp_backward(grad_row, short_x));
}

TEST_F(SoftmaxTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  // The last shape is above the threshold for non-temporal stores.
  for (const Shape& shape :
       {Shape{1, 1}, Shape{5}, Shape{7, 33}, Shape{3, 2, 5, 67}, Shape{900, 700}}) {
    for (const auto& f : all_softmax_functions<double>()) {
      const Tensor<double> x = random_tensor(shape, "machine", 2);
      const Tensor<double> grad_y = random_tensor(result_shape(f.name, shape), "machine gradient");
      Mask valid = random_mask(shape, "machine");
      for (std::size_t i = 0; i < valid.size(); i += shape.back()) valid.data()[i] = true;
      for (const Mask& mask : {Mask{}, valid}) {
        if (mask.dimension() > 0 && !f.masked) continue;
        SCOPED_TRACE(f.name);
        expect_same_on_every_machine_setting([&] { return f.forward(x, mask); });
        expect_same_on_every_machine_setting([&] { return f.backward(grad_y, x, mask); });
      }
    }
  }
}

// The kernels for `double` must compute the same bits as the template for any scalar type. These
// results must be within their running error of the exact values.
TEST_F(SoftmaxTest, DoubleResultsAreWithinTheRunningErrorBound) {
  const auto doubles = all_softmax_functions<double>();
  const auto running = all_softmax_functions<running_error>();
  for (const double scale : {0.1, 3.0, 100.0}) {
    for (const Shape& shape : {Shape{4, 1}, Shape{3, 7}, Shape{2, 2, 65}, Shape{1, 300}}) {
      const Tensor<double> x = random_tensor(shape, "bound", scale);
      Mask valid = random_mask(shape, "bound");
      for (std::size_t i = 0; i < valid.size(); i += shape.back()) valid.data()[i] = true;
      for (std::size_t k = 0; k < doubles.size(); ++k) {
        const std::string& name = doubles[k].name;
        const Tensor<double> grad_y = random_tensor(result_shape(name, shape), "bound gradient");
        for (const Mask& mask : {Mask{}, valid}) {
          if (mask.dimension() > 0 && !doubles[k].masked) continue;
          SCOPED_TRACE(name + " of " + tensor::to_string(shape) + " times " +
                       std::to_string(scale));
          const ExactSoftmax expected = exact_softmax(name, x, grad_y, mask);
          const auto y = running[k].forward(convert_elements<running_error>(x), mask);
          const auto grad_x = running[k].backward(convert_elements<running_error>(grad_y),
                                                  convert_elements<running_error>(x), mask);
          EXPECT_WITHIN(compare(y, expected.y));
          EXPECT_WITHIN(compare(grad_x, expected.grad_x));
          EXPECT_BITS_EQ(doubles[k].forward(x, mask), values(y));
          EXPECT_BITS_EQ(doubles[k].backward(grad_y, x, mask), values(grad_x));
        }
      }
    }
  }
}

TEST_F(SoftmaxTest, IntervalAndBallResultsContainTheExactValues) {
  const Shape shape = {3, 37};
  const Tensor<double> x = random_tensor(shape, "enclosure", 4);
  const Mask valid = random_mask(shape, "enclosure");
  const auto intervals = all_softmax_functions<numeric::interval>();
  const auto balls = all_softmax_functions<numeric::ball>();
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    const std::string& name = intervals[k].name;
    SCOPED_TRACE(name);
    const Mask mask = intervals[k].masked ? valid : Mask{};
    const Tensor<double> grad_y = random_tensor(result_shape(name, shape), "enclosure gradient");
    const ExactSoftmax expected = exact_softmax(name, x, grad_y, mask);
    expect_encloses(intervals[k].forward(convert_elements<numeric::interval>(x), mask), expected.y);
    expect_encloses(balls[k].forward(convert_elements<numeric::ball>(x), mask), expected.y);
    expect_encloses(intervals[k].backward(convert_elements<numeric::interval>(grad_y),
                                          convert_elements<numeric::interval>(x), mask),
                    expected.grad_x);
    expect_encloses(balls[k].backward(convert_elements<numeric::ball>(grad_y),
                                      convert_elements<numeric::ball>(x), mask),
                    expected.grad_x);
  }
}

// An interval as argument stands for all its points. The resulting interval must contain the
// softmax of each of them.
TEST_F(SoftmaxTest, ResultOfAnIntervalContainsTheResultOfEveryPoint) {
  const numeric::interval wide = numeric::mp::hull(numeric::interval(-1), numeric::interval(2));
  Tensor<numeric::interval> x = tensor::empty_tensor<numeric::interval>({2});
  x(0) = wide;
  x(1) = numeric::interval(0.25);
  const auto y = softmax(x);
  for (const double point : {-1.0, 0.0, 0.25, 1.5, 2.0}) {
    const auto at_point = softmax(Tensor<oracle50>{oracle50(point), oracle50(0.25)});
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(numeric::enclose(y(i)).lower, at_point(i));
      EXPECT_GE(numeric::enclose(y(i)).upper, at_point(i));
    }
  }
}

// Compares the handwritten backward with the derivative of the forward, for all shapes [N, D] up to
// [3, 3] and all masks.
TEST_F(SoftmaxTest, BackwardIsTheDerivative) {
  const auto oracles = all_softmax_functions<oracle50>();
  const auto running = all_softmax_functions<running_error>();
  for (std::size_t rows = 1; rows <= 3; ++rows) {
    for (std::size_t width = 1; width <= 3; ++width) {
      const Shape shape = {rows, width};
      const Tensor<double> x = random_tensor(shape, "derivative", 1.5);
      for (std::size_t k = 0; k < oracles.size(); ++k) {
        const Tensor<double> grad_y =
            random_tensor(result_shape(oracles[k].name, shape), "derivative gradient");
        const std::size_t masks = oracles[k].masked ? std::size_t{1} << (rows * width) : 1;
        for (std::size_t bits = 0; bits < masks; ++bits) {
          const Mask mask = oracles[k].masked ? mask_from_bits(shape, bits) : Mask{};
          if (oracles[k].name == "log_sum_exp" && has_empty_row(mask)) continue;
          SCOPED_TRACE(oracles[k].name + " of " + tensor::to_string(shape) + ", mask " +
                       std::to_string(bits));
          expect_derivative(
              [&]<class S>(const Tensor<S>& at) {
                return all_softmax_functions<S>()[k].forward(at, mask);
              },
              x, grad_y,
              oracles[k].backward(convert_elements<oracle50>(grad_y), convert_elements<oracle50>(x),
                                  mask),
              running[k].backward(convert_elements<running_error>(grad_y),
                                  convert_elements<running_error>(x), mask));
        }
      }
    }
  }
}

TEST_F(SoftmaxTest, MaskIsBroadcastOverLeadingAxes) {
  const Shape shape = {2, 3, 4, 5};
  const Tensor<double> x = random_tensor(shape, "broadcast");
  for (const Shape& given : {Shape{5}, Shape{4, 5}, Shape{1, 5}, Shape{2, 1, 1, 5}, Shape{3, 1, 5},
                             Shape{2, 3, 1, 5}, Shape{1, 3, 4, 5}}) {
    SCOPED_TRACE(tensor::to_string(given));
    const Mask valid = random_mask(given, "broadcast");
    Mask full = tensor::empty_tensor<bool>(shape);
    full = xt::broadcast(valid, std::vector<std::size_t>(shape));
    EXPECT_BITS_EQ(softmax(x, valid), softmax(x, full));
  }
}

TEST_F(SoftmaxTest, FullyMaskedRowIsZero) {
  const Tensor<double> x = {{1, 2}, {3, kNaN}, {5, 5}};
  const Mask valid = {{true, false}, {false, false}, {true, true}};
  const Tensor<double> y = softmax(x, valid);
  EXPECT_BITS_EQ(y, (Tensor<double>{{1, 0}, {0, 0}, {0.5, 0.5}}));
  EXPECT_BITS_EQ(softmax_backward(Tensor<double>{{1, 2}, {3, 4}, {0, 4}}, y, valid),
                 (Tensor<double>{{0, 0}, {0, 0}, {-1, 1}}));
}

TEST_F(SoftmaxTest, ExtremeArgumentsGiveTheLimits) {
  EXPECT_BITS_EQ(softmax(Tensor<double>{1e308, -1e308}), (Tensor<double>{1, 0}));
  EXPECT_BITS_EQ(softmax(Tensor<double>{-1e308, -1e308}), (Tensor<double>{0.5, 0.5}));
  EXPECT_BITS_EQ(softmax(Tensor<double>{1e308, 1e308}), (Tensor<double>{0.5, 0.5}));
  EXPECT_BITS_EQ(log_sum_exp(Tensor<double>{{1e308, -1e308}}), (Tensor<double>{1e308}));
  EXPECT_BITS_EQ(log_softmax(Tensor<double>{1e300, 0}), (Tensor<double>{0, -1e300}));
  EXPECT_BITS_EQ(softmax(Tensor<double>{0.0, -0.0}), (Tensor<double>{0.5, 0.5}));
  EXPECT_BITS_EQ(softmax(Tensor<double>{-0.0}), (Tensor<double>{1}));
  EXPECT_BITS_EQ(log_sum_exp(tensor::full_tensor<double>({2, 1}, -7.25)),
                 (Tensor<double>{-7.25, -7.25}));
  // exp(-740) is subnormal and exp(-800) is 0; the sum is 1.
  const double subnormal = numeric::exp(-740.0);
  EXPECT_GT(subnormal, 0);
  EXPECT_LT(subnormal, 0x1p-1022);
  EXPECT_BITS_EQ(softmax(Tensor<double>{60, -680, -740}), (Tensor<double>{1, subnormal, 0}));
  EXPECT_BITS_EQ(softmax_backward(Tensor<double>{3, 7, -2}, Tensor<double>{1, 0, 0}),
                 (Tensor<double>{0, 0, -0.0}));
}

}  // namespace
}  // namespace normproof::ref::ops
