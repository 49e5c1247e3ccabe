#include "ref/norm/l2_norm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/norm/scale_norm.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::norm {
namespace {

using model::EpsPlacement;
using model::L2NormOptions;
using numeric::contract_message;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using ops::convert_elements;
using ops::random_tensor;
using tensor::Shape;

const L2NormOptions kEpsPlacements[] = {{.eps = 0.75, .eps_placement = EpsPlacement::inside},
                                        {.eps = 0.75, .eps_placement = EpsPlacement::outside},
                                        {.eps = 0.75, .eps_placement = EpsPlacement::floor}};

/// Returns rows with norms below, near and above the eps of kEpsPlacements.
Tensor<double> rows_of_different_norms(const Shape& shape, std::string_view stream) {
  Tensor<double> x = random_tensor(shape, stream);
  const double root = std::sqrt(static_cast<double>(shape.back()));
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] *= (i / shape.back() % 2 == 0 ? 0.3 : 3) / root;
  return x;
}

/// The output and the gradient at 100 digits, computed from the definition and its Jacobian without
/// code of ref/norm.
struct ExactL2Norm {
  Tensor<oracle100> y, grad_x;
};
ExactL2Norm exact_l2_norm(const Tensor<double>& x, const Tensor<double>& grad_y,
                          const L2NormOptions& o) {
  const std::size_t width = x.shape(x.dimension() - 1);
  ExactL2Norm d{convert_elements<oracle100>(x), convert_elements<oracle100>(x)};
  for (std::size_t first = 0; first < x.size(); first += width) {
    oracle100 square = 0;
    for (std::size_t i = 0; i < width; ++i)
      square += oracle100(x.data()[first + i]) * x.data()[first + i];
    const oracle100 n = numeric::mp::sqrt(square), eps = o.eps;
    const oracle100 divisor = o.eps_placement == EpsPlacement::inside
                                  ? oracle100(numeric::mp::sqrt(oracle100(square + eps)))
                              : o.eps_placement == EpsPlacement::outside ? oracle100(n + eps)
                              : n < eps                                  ? eps
                                                                         : n;
    for (std::size_t i = 0; i < width; ++i) {
      d.y.data()[first + i] = x.data()[first + i] / divisor;
      oracle100 grad = 0;
      for (std::size_t j = 0; j < width; ++j) {
        // This is the derivative of the divisor with respect to x_i.
        const oracle100 along = o.eps_placement == EpsPlacement::inside
                                    ? oracle100(x.data()[first + i] / divisor)
                                : o.eps_placement == EpsPlacement::floor && n < eps
                                    ? oracle100(0)
                                    : oracle100(x.data()[first + i] / n);
        const oracle100 jacobian = (i == j ? 1 / divisor : oracle100(0)) -
                                   x.data()[first + j] * along / (divisor * divisor);
        grad += grad_y.data()[first + j] * jacobian;
      }
      d.grad_x.data()[first + i] = grad;
    }
  }
  return d;
}

class L2NormTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

TEST_F(L2NormTest, MatchesHandComputedValues) {
  const Tensor<double> x = {{3, 0, 4, 0}}, grad_y = {{5, 10, 0, 0}};
  // n = 5: inside sqrt(25 + 39) = 8, outside 5 + 5 = 10, floor max(5, 8) = 8 and max(5, 2) = 5.
  EXPECT_BITS_EQ(l2_norm(x, {.eps = 39}), (Tensor<double>{{0.375, 0, 0.5, 0}}));
  EXPECT_BITS_EQ(l2_norm(x, {.eps = 5, .eps_placement = EpsPlacement::outside}),
                 (Tensor<double>{{3 * 0.1, 0, 4 * 0.1, 0}}));
  EXPECT_BITS_EQ(l2_norm(x, {.eps = 8, .eps_placement = EpsPlacement::floor}),
                 (Tensor<double>{{0.375, 0, 0.5, 0}}));
  EXPECT_BITS_EQ(l2_norm(x, {.eps = 2, .eps_placement = EpsPlacement::floor}),
                 (Tensor<double>{{3 * 0.2, 0, 4 * 0.2, 0}}));
  // e = 5 * 0.375 = 1.875: (5 - 0.703125, 10, -0.9375, 0) / 8.
  EXPECT_BITS_EQ(l2_norm_backward(grad_y, x, {.eps = 39}),
                 (Tensor<double>{{0.537109375, 1.25, -0.1171875, 0}}));
  // Below the floor the divisor is constant.
  EXPECT_BITS_EQ(l2_norm_backward(grad_y, x, {.eps = 8, .eps_placement = EpsPlacement::floor}),
                 (Tensor<double>{{0.625, 1.25, 0, 0}}));
}

TEST_F(L2NormTest, GradientOfAZeroRowIsGradYOverTheDivisor) {
  const Tensor<double> x = {{0, 0}, {3, 4}}, grad_y = {{1, -2}, {0, 0}};
  const auto first_row = [&](double eps, EpsPlacement placement) {
    const L2NormOptions options{.eps = eps, .eps_placement = placement};
    EXPECT_EQ(l2_norm(x, options).data()[0], 0);
    const Tensor<double> grad_x = l2_norm_backward(grad_y, x, options);
    return std::pair(grad_x.data()[0], grad_x.data()[1]);
  };
  EXPECT_EQ(first_row(0.25, EpsPlacement::inside), std::pair(2.0, -4.0));
  EXPECT_EQ(first_row(0.25, EpsPlacement::outside), std::pair(4.0, -8.0));
  EXPECT_EQ(first_row(0.25, EpsPlacement::floor), std::pair(4.0, -8.0));
}

/// If eps is added under the square root, l2_norm equals scale_norm without gamma.
TEST_F(L2NormTest, EqualsScaleNormWithoutGamma) {
  const Tensor<double> x = random_tensor({7, 66}, "x", 3), grad_y = random_tensor({7, 66}, "g");
  const auto scaled = scale_norm(x, {}, {.eps = 0.125});
  EXPECT_BITS_EQ(l2_norm(x, {.eps = 0.125}), scaled.y);
  EXPECT_BITS_EQ(l2_norm_backward(grad_y, x, {.eps = 0.125}),
                 scale_norm_backward(grad_y, x, {}, scaled.rnorm).grad_x);
}

TEST_F(L2NormTest, FollowsTheSpecification) {
  for (const std::size_t width : {1u, 31u, 33u, 100u, 513u})
    for (const L2NormOptions& o : kEpsPlacements) {
      const Tensor<double> x = rows_of_different_norms({2, width}, "x");
      const Tensor<double> grad_y = random_tensor({2, width}, "g");
      const Tensor<double> y = l2_norm(x, o), grad_x = l2_norm_backward(grad_y, x, o);
      for (std::size_t first = 0; first < x.size(); first += width) {
        std::vector<double> squares, products;
        for (std::size_t i = first; i < first + width; ++i)
          squares.push_back(x.data()[i] * x.data()[i]);
        const double square = ops::sum_in_32_lanes(squares), n = std::sqrt(square);
        const bool inside = o.eps_placement == EpsPlacement::inside;
        const bool outside = o.eps_placement == EpsPlacement::outside;
        const double r = 1 / (inside    ? std::sqrt(square + o.eps)
                              : outside ? n + o.eps
                                        : std::max(n, o.eps));
        const double w = outside ? 1 / n : inside || n >= o.eps ? r : 0;
        for (std::size_t i = first; i < first + width; ++i)
          products.push_back(grad_y.data()[i] * (x.data()[i] * w));
        const double e = ops::sum_in_32_lanes(products);
        for (std::size_t i = first; i < first + width; ++i) {
          EXPECT_BITS_EQ(y.data()[i], x.data()[i] * r);
          EXPECT_BITS_EQ(grad_x.data()[i], r * (grad_y.data()[i] - (x.data()[i] * r) * e));
        }
      }
    }
}

TEST_F(L2NormTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  // The last shape is above the threshold for non-temporal stores.
  for (const Shape& shape : {Shape{1, 1}, Shape{5}, Shape{7, 33}, Shape{3, 2, 67}, Shape{900, 700}})
    for (const L2NormOptions& o : kEpsPlacements) {
      const Tensor<double> x = rows_of_different_norms(shape, "x"),
                           grad_y = random_tensor(shape, "g");
      ops::expect_same_on_every_machine_setting([&] { return l2_norm(x, o); });
      ops::expect_same_on_every_machine_setting([&] { return l2_norm_backward(grad_y, x, o); });
    }
}

TEST_F(L2NormTest, DoubleResultsAreWithinTheRunningErrorBound) {
  for (const Shape& shape : {Shape{4, 1}, Shape{3, 7}, Shape{2, 2, 65}, Shape{1, 300}})
    for (const L2NormOptions& o : kEpsPlacements) {
      SCOPED_TRACE(tensor::to_string(shape));
      const Tensor<double> x = rows_of_different_norms(shape, "x"),
                           grad_y = random_tensor(shape, "g");
      const ExactL2Norm expected = exact_l2_norm(x, grad_y, o);
      const auto y = l2_norm(convert_elements<running_error>(x), o);
      const auto grad_x = l2_norm_backward(convert_elements<running_error>(grad_y),
                                           convert_elements<running_error>(x), o);
      EXPECT_WITHIN(ops::compare(y, expected.y));
      EXPECT_WITHIN(ops::compare(grad_x, expected.grad_x));
      EXPECT_BITS_EQ(l2_norm(x, o), ops::values(y));
      EXPECT_BITS_EQ(l2_norm_backward(grad_y, x, o), ops::values(grad_x));
    }
}

TEST_F(L2NormTest, IntervalAndBallResultsContainTheExactValues) {
  using numeric::ball;
  using numeric::interval;
  const Shape shape = {4, 37};
  const Tensor<double> x = rows_of_different_norms(shape, "x"), grad_y = random_tensor(shape, "g");
  for (const L2NormOptions& o : kEpsPlacements) {
    const ExactL2Norm expected = exact_l2_norm(x, grad_y, o);
    ops::expect_encloses(l2_norm(convert_elements<interval>(x), o), expected.y);
    ops::expect_encloses(l2_norm(convert_elements<ball>(x), o), expected.y);
    ops::expect_encloses(
        l2_norm_backward(convert_elements<interval>(grad_y), convert_elements<interval>(x), o),
        expected.grad_x);
    ops::expect_encloses(
        l2_norm_backward(convert_elements<ball>(grad_y), convert_elements<ball>(x), o),
        expected.grad_x);
  }
}

/// x is an interval. The norm of its numbers may be below or above the floor eps, so the result
/// must cover both cases.
TEST_F(L2NormTest, AnIntervalThatContainsTheEpsFloorCoversBothCases) {
  using numeric::interval;
  Tensor<interval> x = tensor::empty_tensor<interval>({2}), grad_y = x;
  x(0) = numeric::mp::hull(interval(0.5), interval(2));
  x(1) = grad_y(0) = interval(0);
  grad_y(1) = interval(1);
  const L2NormOptions o{.eps = 1, .eps_placement = EpsPlacement::floor};
  const auto y = numeric::enclose(l2_norm(x, o)(0));
  EXPECT_LE(y.lower, 0.5);
  EXPECT_GE(y.upper, 1);
  grad_y(0) = interval(1);
  const auto grad_x = numeric::enclose(l2_norm_backward(grad_y, x, o)(0));
  EXPECT_LE(grad_x.lower, 0);
  EXPECT_GE(grad_x.upper, 1);
}

TEST_F(L2NormTest, BackwardIsTheDerivative) {
  for (std::size_t width = 1; width <= 3; ++width)
    for (const L2NormOptions& o : kEpsPlacements) {
      const Shape shape = {3, width};
      const Tensor<double> x = rows_of_different_norms(shape, "x"),
                           grad_y = random_tensor(shape, "g");
      ops::expect_derivative(
          [&]<class S>(const Tensor<S>& at) { return l2_norm(at, o); }, x, grad_y,
          l2_norm_backward(convert_elements<oracle50>(grad_y), convert_elements<oracle50>(x), o),
          l2_norm_backward(convert_elements<running_error>(grad_y),
                           convert_elements<running_error>(x), o));
    }
}

/// The squares of 1e-170 underflow in double, so the computed gradient has no correct digits. The
/// error bound must be infinite.
TEST_F(L2NormTest, ErrorBoundIsInfiniteIfAllSquaresUnderflow) {
  const L2NormOptions o{.eps = 1, .eps_placement = EpsPlacement::outside};
  const Tensor<double> x = {{1e-170, 1e-170}}, grad_y = {{1, 2}};
  const auto grad_x = l2_norm_backward(convert_elements<running_error>(grad_y),
                                       convert_elements<running_error>(x), o);
  EXPECT_EQ(grad_x.data()[0].error, std::numeric_limits<double>::infinity());
  EXPECT_BITS_EQ(l2_norm_backward(grad_y, x, o), grad_y);
}

TEST_F(L2NormTest, C1_RejectsScalarsAndEmptyExtents) {
  EXPECT_EQ(contract_message([] {
              l2_norm(tensor::empty_tensor<double>({3, 0}));
            }),
            "l2_norm: x has shape [3, 0]; expected [..., D] with every extent at least 1 (C1)");
}

TEST_F(L2NormTest, C2_RejectsNegativeEpsAndZeroRowsWithoutEps) {
  EXPECT_EQ(contract_message([] {
              l2_norm(Tensor<double>{{1, 2}}, {.eps = -1});
            }),
            "l2_norm: eps is -1; expected eps >= 0 (C2)");
  for (const EpsPlacement placement :
       {EpsPlacement::inside, EpsPlacement::outside, EpsPlacement::floor})
    EXPECT_EQ(contract_message([&] {
                l2_norm(Tensor<double>{{1, 2}, {0, 0}}, {.eps = 0, .eps_placement = placement});
              }),
              "l2_norm: x makes the reciprocal norm at [1] = inf; expected values so small that "
              "sums of their squares stay finite, and eps > 0 where they vanish (C2)");
}

TEST_F(L2NormTest, C4_RejectsValuesThatAreNotFiniteOrOverflow) {
  EXPECT_EQ(contract_message([] {
              l2_norm(Tensor<double>{{1, numeric::kNaN}});
            }),
            "l2_norm: x has the element [0, 1] = nan; expected finite values (C4)");
  EXPECT_EQ(contract_message([] {
              l2_norm(Tensor<double>{{1e200, 1}});
            }),
            "l2_norm: x makes the reciprocal norm at [0] vanish; expected values so small that "
            "sums of their squares stay finite (C4)");
}

TEST_F(L2NormTest, C5_RejectsGradientsOfAnotherShape) {
  EXPECT_EQ(contract_message([] {
              l2_norm_backward(ref::tensor::full_tensor<double>({1, 1}, 1),
                               ref::tensor::full_tensor<double>({1, 2}, 1));
            }),
            "l2_norm_backward: grad_y has shape [1, 1]; expected shape [1, 2] (C5)");
}

TEST_F(L2NormTest, C7_RejectsGradientsThatAreNotFiniteOrOverflow) {
  EXPECT_EQ(contract_message([] {
              l2_norm_backward(Tensor<double>{{numeric::kInfinity, 1}}, {{1, 2}});
            }),
            "l2_norm_backward: grad_y has the element [0, 0] = inf; expected finite values (C7)");
  EXPECT_EQ(contract_message([] {
              l2_norm_backward(Tensor<double>{{1.7e308, 1.7e308}}, {{1, 1}}, {.eps = 0});
            }),
            "l2_norm_backward: grad_y makes the sum over grad_y at [0] = inf; expected values so "
            "small that sums of their squares stay finite, and eps > 0 where they vanish (C7)");
}

}  // namespace
}  // namespace normproof::ref::norm
