#include "verification/checks/compare/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ref/norm/norm.hpp"
#include "ref/numeric/random.hpp"
#include "ref/ops/lane_sum.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::verification::checks::compare {
namespace {

using ref::model::BatchNormOptions;
using ref::model::LayerNormOptions;
using ref::model::NormOptions;
using ref::model::RMSNormOptions;
using ref::norm::initial_state;
using ref::norm::norm_step;
using ref::norm::NormInputs;
using ref::numeric::RandomStream;
using ref::tensor::convert;
using ref::tensor::empty_tensor;

/// A scalar that counts the roundings on the longest path through a sum. Adding to a fresh +0 is
/// exact.
struct RoundingCounter {
  int roundings = -1;  ///< -1 for the fresh +0, to which nothing was added yet
  RoundingCounter& operator+=(const RoundingCounter& b) {
    roundings = roundings < 0 ? b.roundings : std::max(roundings, b.roundings) + 1;
    return *this;
  }
};

TEST(ErrorBounds, GammaIsRoundedUp) {
  EXPECT_EQ(bound::gamma(0), 0);
  const oracle100 nu = oracle100(100) * oracle100(0x1p-53);
  EXPECT_GE(oracle100(bound::gamma(100)), nu / (1 - nu));
  EXPECT_LE(oracle100(std::nextafter(bound::gamma(100), 0)), nu / (1 - nu));
}

TEST(Gamma, C1_RejectsTooManyRoundings) {
  EXPECT_EQ(ref::numeric::contract_message([] { bound::gamma(std::size_t{1} << 53); }),
            "bound::gamma: n is 9007199254740992; expected n u < 1 (C1)");
}

TEST(Matmul, C1_RejectsMismatchedExtents) {
  const Tensor<double> a = {{1, 2}}, b = {{1, 2}};
  EXPECT_EQ(ref::numeric::contract_message([&] { bound::matmul(a, b); }),
            "bound::matmul: a and b have shapes [1, 2] and [1, 2]; expected a [M, K] and b [K, N] "
            "(C1)");
}

TEST(ErrorBounds, LaneSumRoundingsEqualThoseOnTheLongestPath) {
  for (std::size_t count = 1; count <= 300; ++count) {
    const auto longest =
        ref::ops::lane_sum<RoundingCounter>(count, [](std::size_t) { return RoundingCounter{0}; });
    EXPECT_EQ(bound::lane_sum_roundings(count), static_cast<std::size_t>(longest.roundings))
        << count;
    EXPECT_LE(bound::lane_sum_roundings(count), (count + 31) / 32 + 4) << count;
  }
  EXPECT_EQ(bound::lane_sum_roundings(0), 0u);
}

/// The running bound and the closed form hold for sums of every size. The test prints the largest
/// ratio of the error to each bound.
TEST(ErrorBounds, LaneSumBoundsHoldAndTheirTightnessIsPrinted) {
  std::printf("%8s %14s %14s %14s\n", "count", "error", "/running", "/closed form");
  for (const std::size_t count : {1u, 2u, 3u, 31u, 32u, 33u, 64u, 65u, 100u, 513u, 4096u, 20000u}) {
    double worst_running = 0;
    double worst_closed = 0;
    double worst_error = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const RandomStream random(seed, "lane_sum");
      const auto term = [&](std::size_t i) {
        // With even seeds all terms are positive; with odd seeds signs are mixed over six orders of
        // magnitude.
        const double u = random.uniform(2 * i) + 0x1p-10;
        if (seed % 2 == 0) return u;
        const double scaled = u * std::ldexp(1.0, static_cast<int>(random.below(2 * i + 1, 20)));
        return random.bits(2 * i) % 2 == 0 ? scaled : -scaled;
      };
      oracle100 exact(0);
      oracle100 magnitude(0);
      for (std::size_t i = 0; i < count; ++i) {
        exact += oracle100(term(i));
        magnitude += oracle100(std::fabs(term(i)));
      }
      const double sum = ref::ops::lane_sum<double>(count, term);
      const auto running = ref::ops::lane_sum<running_error>(
          count, [&](std::size_t i) { return running_error(term(i)); });
      EXPECT_BITS_EQ(running.value, sum);
      const Tensor<oracle100> expected = ref::tensor::full_tensor<oracle100>({1}, exact);
      const auto by_running =
          compare(ref::tensor::full_tensor<running_error>({1}, running), expected);
      const double closed_form =
          bound::lane_sum(count, std::nextafter(magnitude.convert_to<double>(), 1e300));
      const auto by_closed = compare(ref::tensor::full_tensor<double>({1}, sum), expected,
                                     ref::tensor::full_tensor<double>({1}, closed_form));
      EXPECT_WITHIN(by_running);
      EXPECT_WITHIN(by_closed);
      worst_running = std::max(worst_running, by_running.worst_ratio);
      worst_closed = std::max(worst_closed, by_closed.worst_ratio);
      worst_error = std::max(worst_error, abs(exact - oracle100(sum)).convert_to<double>());
    }
    std::printf("%8zu %14.3g %14.3g %14.3g\n", count, worst_error, worst_running, worst_closed);
  }
}

/// Constructs a sum whose error nearly reaches the bound: in lane 0 each addition has a rounding
/// error of nearly u, always in the same direction.
TEST(ErrorBounds, LaneSumBoundIsNearlyAttained) {
  // Lane 0 holds 1 and then tiny terms of just over half an ulp of 1, each of which is rounded up
  // to a whole ulp.
  const std::size_t count = 32 * 8;
  const auto term = [&](std::size_t i) {
    if (i == 0) return 1.0;
    return i % 32 == 0 ? 0x1.0000000000001p-53 : 0.0;
  };
  const double sum = ref::ops::lane_sum<double>(count, term);
  EXPECT_EQ(sum, 1 + 7 * 0x1p-52);
  const double exact_error = 7 * (0x1p-53 - 0x1p-105);
  const double limit = bound::lane_sum(count, 1 + 7 * 0x1p-52);
  EXPECT_LE(exact_error, limit);
  EXPECT_GE(exact_error / limit, 7.0 / 12 - 0x1p-20) << "7 of 7 + 5 roundings";
}

struct LayerWithBound {
  const char* name;
  NormOptions options;
  Tensor<double> (*bound)(const Tensor<double>&, const Tensor<double>&, const Tensor<double>&,
                          double);
};

Tensor<double> normal(const RandomStream& random, const Shape& shape, double offset, double scale) {
  Tensor<double> result = empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = offset + scale * random.normal(i);
  return result;
}

/// The closed forms and the running bound hold for y of well-conditioned and ill-conditioned
/// inputs. The test prints the largest ratio of the error to each bound.
TEST(ErrorBounds, NormalizationBoundsHoldAndTheirTightnessIsPrinted) {
  const LayerWithBound families[] = {{"layer_norm", LayerNormOptions{}, &bound::layer_norm},
                                     {"rms_norm", RMSNormOptions{}, &bound::rms_norm},
                                     {"batch_norm", BatchNormOptions{}, &bound::batch_norm}};
  std::printf("%12s %10s %10s %12s %14s %14s\n", "layer", "shape", "offset", "error", "/running",
              "/closed form");
  for (const auto& family : families)
    for (const Shape& shape : {Shape{5, 7}, Shape{65, 33}, Shape{40, 513}})
      for (const double offset : {0.0, 1.0, 1e4, 1e8}) {
        const std::size_t d_model = shape.back();
        NormInputs<double> in;
        in.x = normal(RandomStream(1, "x"), shape, offset, 1);
        in.gamma = normal(RandomStream(1, "gamma"), {d_model}, 1, 0.5);
        in.beta = normal(RandomStream(1, "beta"), {d_model}, 0, 1);
        const auto y = norm_step(family.options, in, initial_state<double>(family.options, d_model))
                           .outputs.at("y");
        const auto run = [&]<class T>(T) {
          NormInputs<T> other;
          other.x = convert<T>(in.x);
          other.gamma = convert<T>(in.gamma);
          other.beta = convert<T>(in.beta);
          return norm_step(family.options, other, initial_state<T>(family.options, d_model))
              .outputs.at("y");
        };
        const Tensor<oracle100> expected = run(oracle100());
        const auto running = compare(run(running_error()), expected);
        const auto closed = compare(y, expected, family.bound(in.x, in.gamma, in.beta, 1e-5));
        EXPECT_WITHIN(running);
        EXPECT_WITHIN(closed);
        double error = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
          error = std::max(error,
                           abs(expected.data()[i] - oracle100(y.data()[i])).convert_to<double>());
        std::printf("%12s %4zux%-5zu %10g %12.3g %14.3g %14.3g\n", family.name, shape[0], shape[1],
                    offset, error, running.worst_ratio, closed.worst_ratio);
      }
}

TEST(ErrorBounds, NormalizationBoundsHoldForEachStatistic) {
  // 4e4 .. 4e4+3 and 8e4 .. 8e4+3 are the rows of public bug reports about the formula of the
  // variance.
  for (const double offset : {0.0, 4e4, 8e4, 1e8}) {
    NormInputs<double> in;
    in.x = empty_tensor<double>({4, 1});
    for (std::size_t i = 0; i < 4; ++i) in.x.data()[i] = offset + static_cast<double>(i) / 3;
    const NormOptions options = BatchNormOptions{};
    const auto got = norm_step(options, in, initial_state<double>(options, 1)).outputs;
    NormInputs<oracle100> exact;
    exact.x = convert<oracle100>(in.x);
    const auto expected = norm_step(options, exact, initial_state<oracle100>(options, 1)).outputs;
    bound::Slice slice;
    slice.x.assign(in.x.data(), in.x.data() + 4);
    const auto bounds = bound::normalization_bounds(slice);
    const auto limit = [](double b) { return ref::tensor::full_tensor<double>({1}, b); };
    EXPECT_WITHIN(compare(got.at("mean"), expected.at("mean"), limit(bounds.mean)));
    EXPECT_WITHIN(compare(got.at("biased_variance"), expected.at("biased_variance"),
                          limit(bounds.statistic)));
    EXPECT_WITHIN(compare(got.at("rstd"), expected.at("rstd"), limit(bounds.rstd)));
  }
}

TEST(ErrorBounds, NormalizationBoundIsInfiniteIfTheErrorMayExceedTheVariance) {
  // With a constant 1e9 and a negligible eps, the error of the variance may exceed the variance +
  // eps.
  const bound::Slice slice{.x = std::vector<double>(100, 1e9), .centred = true, .eps = 1e-30};
  const auto bounds = bound::normalization_bounds(slice);
  EXPECT_TRUE(std::isinf(bounds.rstd));
  EXPECT_TRUE(std::isinf(bounds.x_hat[0]));
  EXPECT_TRUE(std::isinf(bound::affine(0, bounds.x_hat[0], 1, 0)));
}

std::string slice_error_message(const bound::Slice& slice) {
  return ref::numeric::contract_message([&] { bound::normalization_bounds(slice); });
}

TEST(NormalizationBounds, C1_RejectsEmptySlice) {
  EXPECT_EQ(slice_error_message({.x = {}, .centred = true, .eps = 1}),
            "bound::normalization_bounds: x is empty; expected an element at least (C1)");
}

TEST(Normalisation, C2_RejectsZeroStatistic) {
  EXPECT_EQ(slice_error_message({.x = {1, 1}, .centred = true, .eps = 0}),
            "bound::normalization_bounds: statistic + eps is 0; expected > 0 (C2)");
}

}  // namespace
}  // namespace normproof::verification::checks::compare
