#include "verification/golden/tolerance/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/certify/radius_of_sums.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::to_string;

namespace {

double find_largest_finite_value(const ref::tensor::Tensor<double>& tensor) {
  double largest = 0;
  for (std::size_t i = 0; i < tensor.size(); ++i) largest = std::max(largest, tensor.data()[i]);
  return largest;
}

TEST(GateTolerance, ExistsForEveryOutputAndShrinksWithTheUnitRoundoff) {
  for (const char* layer : {"layer_norm", "batch_norm", "power_norm"}) {
    const Case c = plain_recipe(layer, {4, 3}, DType::float32).make(1);
    const Tolerance in32 = derive_tolerance(c, Accumulation::float32),
                    in64 = derive_tolerance(c, Accumulation::float64);
    for (const StoredTensor& tensor : certify::certify(c).tensors) {
      if (tensor.name.ends_with("_lo") || tensor.name == "iterations") continue;
      const double wide = find_largest_finite_value(in32.bound.at(tensor.name)),
                   narrow = find_largest_finite_value(in64.bound.at(tensor.name));
      EXPECT_TRUE(std::isfinite(wide)) << tensor.name;
      if (wide == 0) continue;
      // The bound is proportional to u, up to second-order terms.
      EXPECT_GT(narrow, 0) << layer << " " << tensor.name;
      EXPECT_LE(narrow, wide * 0x1.01p-29) << layer << " " << tensor.name;
      EXPECT_GT(find_largest_finite_value(in32.input_sensitivity.at(tensor.name)), 0)
          << layer << " " << tensor.name;
    }
  }
}

/// The input x is 2^-140, which float32 represents, and relu returns it unchanged. A result of 0
/// instead is 2^9 ulps off.
TEST(GateTolerance, AllowsFlushedSubnormalsOnlyIfDeclared) {
  const Case c =
      plain_recipe("relu", {1, 2}, DType::float32).x([](auto, double) { return 0x1p-140; }).make(1);
  const auto own = [&c](bool flushes) {
    const Tolerance bounds = derive_tolerance(c, Accumulation::float32, Formula::two_pass, flushes);
    EXPECT_EQ(bounds.flushes, flushes);
    return with_storage_rounding(bounds.bound.at("y").data()[0], 0x1p-140, 0, DType::float32,
                                 flushes);
  };
  EXPECT_LE(own(false), 0x1p-146);
  EXPECT_GE(own(true), 0x1p-140);
}

TEST(GateTolerance, AllowsTwoUlpsForSubnormalResults) {
  for (const Accumulation accumulation : kAllAccumulations) {
    const auto format = corpus::accumulation_arithmetic(accumulation);
    EXPECT_EQ(arithmetic_of_candidate(accumulation, true).tiny, format.tiny);
    // The distance of subnormal numbers is 2 u times the smallest normal number.
    EXPECT_EQ(arithmetic_of_candidate(accumulation, false).tiny,
              2 * (2 * format.unit_roundoff * format.tiny));
  }
}

TEST(GateTolerance, AllowsStoredSubnormalsToBeFlushed) {
  constexpr double kSmallestNormalFloat16 = 0x1p-14;  // the smallest normal number of float16
  EXPECT_GE(with_storage_rounding(0, kSmallestNormalFloat16 / 2, 0, DType::float16, true),
            kSmallestNormalFloat16 / 2);
  EXPECT_LT(with_storage_rounding(0, kSmallestNormalFloat16 / 2, 0, DType::float16, true),
            kSmallestNormalFloat16);
  EXPECT_EQ(with_storage_rounding(0, kSmallestNormalFloat16 / 2, 0, DType::float16), 0);
  EXPECT_EQ(with_storage_rounding(0, kSmallestNormalFloat16, 0, DType::float16, true), 0);
  // The value may be a subnormal number within the bound.
  EXPECT_GE(with_storage_rounding(0x1p-20, kSmallestNormalFloat16, 0, DType::float16, true),
            kSmallestNormalFloat16);
}

TEST(GateTolerance, GrowsWithTheConditionNumber) {
  const auto bound_at = [](double offset) {
    return find_largest_finite_value(
        derive_tolerance(plain_recipe("layer_norm", {3, 8}, DType::float32)
                             .x([=](std::size_t, double normal) { return offset + normal; })
                             .make(1),
                         Accumulation::float32)
            .bound.at("y"));
  };
  const double at_0 = bound_at(0), at_100 = bound_at(100), at_10000 = bound_at(10000);
  EXPECT_GT(at_100, 10 * at_0);
  EXPECT_GT(at_10000, 50 * at_100);
}

TEST(GateTolerance, InputRoundingErrorOfASumIsThatOfItsTerms) {
  // grad_beta is a sum of grad_y. Its bound is u times the sum of magnitudes.
  const Case c = plain_recipe("layer_norm", {5, 3}, DType::float32).make(1);
  const std::vector<double> grad_y = find_tensor_values(c.inputs, "grad_y");
  const Tolerance bounds = derive_tolerance(c, Accumulation::float32);
  for (std::size_t d = 0; d < 3; ++d) {
    double magnitude = 0;
    for (std::size_t row = 0; row < 5; ++row) magnitude += std::fabs(grad_y[3 * row + d]);
    const double moved = bounds.input_sensitivity.at("grad_beta").data()[d];
    EXPECT_GE(moved, 0x1p-24 * magnitude);
    EXPECT_LE(moved, 0x1.0001p-24 * magnitude);
    // There are four additions in any order. Each has an error of u times the sum of magnitudes.
    const double bound = bounds.bound.at("grad_beta").data()[d];
    EXPECT_GE(bound, 4 * 0x1p-24 * magnitude);
    EXPECT_LE(bound, 4 * 0x1.01p-24 * magnitude);
  }
}

TEST(GateTolerance, IsInfiniteIfTheArithmeticOverflows) {
  const Case c = plain_recipe("layer_norm", {2, 4}, DType::float32)
                     .x([](std::size_t, double normal) { return 1e12 * normal; })
                     .make(1);
  for (const Accumulation accumulation : kAllAccumulations) {
    const Tolerance bounds = derive_tolerance(c, accumulation);
    const bool overflows = accumulation == Accumulation::float16;
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(std::isinf(bounds.bound.at("y").data()[i]), overflows) << to_string(accumulation);
    EXPECT_TRUE(std::isfinite(bounds.bound.at("grad_beta").data()[0]));
    EXPECT_TRUE(std::isfinite(bounds.input_sensitivity.at("y").data()[0]));
  }
}

TEST(GateTolerance, AddsTheRoundingOfStorage) {
  EXPECT_EQ(with_storage_rounding(0.5, 2, 1e-9, DType::float32), 0.5 + 2.5 * 0x1p-24 + 0x1p-149);
  EXPECT_EQ(with_storage_rounding(0, -2.1, 0, DType::float16), 2.1 * 0x1p-11 + 0x1p-24);
  EXPECT_EQ(with_storage_rounding(kGoldenInfinity, 1, 0, DType::float64), kGoldenInfinity);
  // The rounding to nearest must be within the bound, also for subnormal numbers.
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (double x = 1.2345678901234567; x > 0x1p-155; x *= 0.71)
      EXPECT_LE(std::fabs(round_to_dtype(dtype, x) - x), with_storage_rounding(0, x, 0, dtype))
          << x;
}

TEST(GateTolerance, IsInfiniteIfTheDtypeOfTheOutputMayOverflow) {
  // For numbers around 2e4 with the standard deviation 100, the error of the mean in bfloat16 is
  // larger than the distances from the mean, so that the gradient may be 100 times larger.
  const auto of = [](DType dtype) {
    return plain_recipe("batch_norm", {5, 2}, dtype)
        .x([](std::size_t, double normal) { return 2e4 + 100 * normal; })
        .grad_y([](std::size_t, double normal) { return 1e4 * normal; })
        .make(1);
  };
  const auto grad_x = [&](DType dtype, Accumulation accumulation) {
    return find_largest_finite_value(derive_tolerance(of(dtype), accumulation).bound.at("grad_x"));
  };
  EXPECT_EQ(grad_x(DType::float16, Accumulation::bfloat16), kGoldenInfinity);
  EXPECT_GT(grad_x(DType::bfloat16, Accumulation::bfloat16), 65504);
  EXPECT_LT(grad_x(DType::bfloat16, Accumulation::bfloat16), kGoldenInfinity);
  EXPECT_LT(grad_x(DType::float16, Accumulation::float32), 65504);
}

TEST(GateTolerance, StorageAtMostDoublesTheErrorOfRepresentableValues) {
  EXPECT_EQ(with_storage_rounding(0, -2, 0, DType::float16), 0);
  EXPECT_EQ(with_storage_rounding(0x1p-20, 1, 0, DType::bfloat16), 0x1p-19);
  EXPECT_EQ(with_storage_rounding(0.5, 2, 0, DType::float32), 0.5 + 2.5 * 0x1p-24 + 0x1p-149);
  // A value off by less than half an ulp is stored as 1, and by more as a neighbor of 1.
  for (const double off : {0x1p-13, 0x1p-12, 0x1.8p-11, 0x1p-10, -0x1p-13, -0x1p-11})
    EXPECT_LE(std::fabs(round_to_dtype(DType::float16, 1 + off) - 1),
              with_storage_rounding(std::fabs(off), 1, 0, DType::float16))
        << off;
}

TEST(GateTolerance, IsFiniteEvenIfAVarianceMayVanish) {
  // All elements are equal and far from 0. Only eps keeps the root away from 0.
  for (const char* layer : {"layer_norm", "batch_norm", "group_norm", "instance_norm"}) {
    const Case c = plain_recipe(layer, {1, 3, 64}, DType::float32)
                       .x([](std::size_t, double) { return 1234; })
                       .make(1);
    const Tolerance bounds = derive_tolerance(c, Accumulation::float32);
    for (const auto& [name, bound] : bounds.bound)
      EXPECT_TRUE(std::isfinite(find_largest_finite_value(bound))) << layer << " " << name;
    EXPECT_LE(find_largest_finite_value(bounds.bound.at("rstd")), 320) << layer;
  }
}

TEST(GateTolerance, FindsFormulasByName) {
  for (const Formula formula : kFormulas) EXPECT_EQ(parse_formula(to_string(formula)), formula);
  EXPECT_EQ(usage_error_message([] { parse_formula("onepass"); }),
            "unknown formula 'onepass'; did you mean 'one_pass'? known: folded, one_pass, stable, "
            "two_pass");
}

TEST(GateTolerance, FoldedBoundGrowsWithTheOffset) {
  // With one element per row, the mean is exact, and so is the difference from the mean.
  const auto of = [](double offset, Formula formula) {
    return find_largest_finite_value(
        derive_tolerance(plain_recipe("layer_norm", {3, 1}, DType::float32)
                             .x([=](std::size_t, double normal) { return offset + normal; })
                             .make(1),
                         Accumulation::float32, formula)
            .bound.at("grad_gamma"));
  };
  EXPECT_LT(of(1e6, Formula::two_pass), std::numeric_limits<float>::min());  // underflow only
  EXPECT_GT(of(1e6, Formula::folded), 1);
  EXPECT_GT(of(1e6, Formula::folded), 50 * of(1e4, Formula::folded));
}

TEST(GateTolerance, OnePassBoundGrowsWithTheSquareOfTheOffset) {
  const auto of = [](const char* layer, double offset, Formula formula) {
    return find_largest_finite_value(
        derive_tolerance(plain_recipe(layer, {3, 8})
                             .x([=](std::size_t, double normal) { return offset + normal; })
                             .make(1),
                         Accumulation::float64, formula)
            .bound.at("rstd"));
  };
  EXPECT_GT(of("layer_norm", 1e3, Formula::one_pass),
            50 * of("layer_norm", 1e2, Formula::one_pass));
  EXPECT_LT(of("layer_norm", 1e3, Formula::two_pass),
            20 * of("layer_norm", 1e2, Formula::two_pass));
  EXPECT_GE(of("layer_norm", 0, Formula::one_pass), of("layer_norm", 0, Formula::two_pass));
  EXPECT_EQ(of("rms_norm", 1e3, Formula::one_pass), of("rms_norm", 1e3, Formula::folded));
}

TEST(GateTolerance, OnePassBoundIsInfiniteIfTheVarianceMayVanish) {
  const Case c = plain_recipe("layer_norm", {3, 8}, DType::float32)
                     .x([](std::size_t, double normal) { return 1e4 + normal; })
                     .make(1);
  const Tolerance bounds = derive_tolerance(c, Accumulation::float32, Formula::one_pass);
  EXPECT_TRUE(std::isinf(bounds.bound.at("y").data()[0]));
  EXPECT_TRUE(std::isfinite(bounds.bound.at("mean").data()[0]));
}

// The bounds of a case with many rows are derived in blocks; those of one block come from the
// overload with inputs.
TEST(GateTolerance, IsTheSameInBlocksOfRowsAsInOne) {
  struct Question {
    const char* op;
    DType dtype;
    Formula formula;
    CastOrder cast_order;
  };
  for (const auto& [op, dtype, formula, cast_order] :
       {Question{"layer_norm", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"layer_norm", DType::float32, Formula::one_pass, CastOrder::after_gamma},
        Question{"rms_norm", DType::bfloat16, Formula::two_pass, CastOrder::before_gamma},
        Question{"rms_norm", DType::float32, Formula::folded, CastOrder::after_gamma},
        Question{"scale_norm", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"group_norm", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"instance_norm", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"add_layer_norm", DType::bfloat16, Formula::two_pass, CastOrder::after_gamma},
        Question{"add_rms_norm", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"swiglu", DType::float32, Formula::two_pass, CastOrder::after_gamma},
        Question{"dyt", DType::float64, Formula::two_pass, CastOrder::after_gamma},
        Question{"softmax", DType::float16, Formula::two_pass, CastOrder::after_gamma}}) {
    const Case c = plain_recipe(op, {70, 512}, dtype).make(1);
    ASSERT_GT(certify::RowBlocks(c).count(), 1u);
    const Accumulation accumulation = corpus::usual_accumulation(dtype);
    const Tolerance whole =
        derive_tolerance(c, inputs_of(c), accumulation, formula, false, cast_order);
    const Tolerance blocks =
        derive_tolerance(c, accumulation, formula, false, cast_order, {.threads = 3});
    const Tolerance sums =
        derive_tolerance(c, accumulation, formula, false, cast_order, {.only_sums = true});
    for (const auto& [name, bound] : whole.bound) {
      const auto& found = blocks.bound.at(name);
      if (!certify::is_sum_over_rows(name)) {
        EXPECT_TRUE(std::equal(bound.begin(), bound.end(), found.begin())) << op << " " << name;
        EXPECT_TRUE(
            std::ranges::equal(whole.input_sensitivity.at(name), blocks.input_sensitivity.at(name)))
            << op << " " << name;
        continue;
      }
      const double u = corpus::accumulation_arithmetic(accumulation).unit_roundoff;
      // The sums alone are those of an evaluation in blocks, or those of norm_sums.hpp.
      const double loops = certify::slack_of_norm_sums(c, u);
      for (std::size_t i = 0; i < bound.size(); ++i) {
        const double alone = sums.bound.at(name).data()[i];
        EXPECT_GE(alone * loops, found.data()[i]) << op << name;
        EXPECT_LE(alone, found.data()[i] * loops) << op << name;
      }
      // any_order_error enlarges a sum by the factor 1 + 2^-45 in each addition, twice in the last.
      constexpr double kRows = 70;
      double slack = (kRows + 1) * 0x1p-45;
      // The distance of two computations is a difference of sums in double. Each of the four sums
      // has fewer than 70 roundings of 2^-53 times the magnitudes M of its terms, which are at most
      // twice those of the exact terms. The bound is at least 69 u M.
      if (std::string_view(op) == "add_layer_norm") slack += 8 * 0x1p-53 / u;
      // In blocks, an allowance of other formulas is enlarged by the roundings of the whole sum.
      const bool has_allowances =
          formula != Formula::two_pass || cast_order != CastOrder::after_gamma;
      const double enlarged = has_allowances ? 2 * kRows * u / (1 - kRows * u) : 0;
      for (std::size_t i = 0; i < bound.size(); ++i) {
        EXPECT_GE(found.data()[i], bound.data()[i] * (1 - slack)) << op << " " << name;
        EXPECT_LE(found.data()[i], bound.data()[i] * (1 + slack + enlarged)) << op << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
