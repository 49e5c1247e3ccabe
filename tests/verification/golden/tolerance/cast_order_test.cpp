#include "verification/golden/tolerance/cast_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/errors.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

Tolerance bounds_of(const Case& c, CastOrder order) {
  return derive_tolerance(c, corpus::usual_accumulation(c.dtype), Formula::two_pass, false, order);
}

TEST(CastOrderOfNorms, WidensBoundsOnlyWhereStoringRoundsAndThereIsAGamma) {
  std::size_t widened = 0, equal = 0;
  for (const Case& c : recipes::corpus(corpus::Tier::quick, recipes::kCorpusSeed,
                                       corpus::PathGlobs("quick/*rms_norm/*"))) {
    const Tolerance usual = bounds_of(c, CastOrder::after_gamma),
                    wider = bounds_of(c, CastOrder::before_gamma);
    const bool rounds = corpus::rounds_when_stored(c.dtype, corpus::usual_accumulation(c.dtype)) &&
                        corpus::find(c.inputs, "gamma") != nullptr;
    for (const auto& [name, bound] : usual.bound)
      for (std::size_t i = 0; i < bound.size(); ++i) {
        const double more = wider.bound.at(name).data()[i];
        EXPECT_GE(more, bound.data()[i]);
        if (!rounds || (name != "y" && name != "grad_x" && name != "grad_gamma")) {
          EXPECT_TRUE(more == bound.data()[i] || std::isnan(more)) << corpus::case_folder(c);
        }
      }
    (rounds ? widened : equal) += 1;
  }
  EXPECT_GT(widened, 10u);
  EXPECT_GT(equal, 10u);
}

// With x = (3, 4), gamma = (2, 1), grad_y = (1, -1) and eps = 0, the mean square is 12.5.
TEST(CastOrderOfNorms, AllowancesOfOneRowAreThoseOfTheFormula) {
  const auto tensor = [](const char* name, std::vector<std::size_t> shape,
                         const std::vector<double>& values) {
    return make_stored_tensor(name, DType::bfloat16, std::move(shape), values);
  };
  const Case c =
      certify::make_user_case({.name = "mine",
                               .op = "rms_norm",
                               .mode = "training",
                               .options = {{"eps", "0"}},
                               .sequence = false,
                               .inputs = {tensor("x", {1, 2}, {3, 4}), tensor("gamma", {2}, {2, 1}),
                                          tensor("grad_y", {1, 2}, {1, -1})}});
  const Tolerance usual = bounds_of(c, CastOrder::after_gamma),
                  wider = bounds_of(c, CastOrder::before_gamma);
  const auto allowance = [&](const char* name, std::size_t i) {
    return wider.bound.at(name).data()[i] - usual.bound.at(name).data()[i];
  };
  // The allowances are rounded up by one part in 2^20, and are differences of bounds of their size.
  constexpr double kSlack = 0x1p-19, kRoundingOfDifferences = 0x1p-40;
  const double u = 0x1p-8, r = 1 / std::sqrt(12.5), x_hat = 3 * r, other = 4 * r;
  const double y_bound = usual.bound.at("y").data()[0];
  EXPECT_NEAR(allowance("y", 0) / (u * (2 + u) * (2 * x_hat + y_bound)), 1, kRoundingOfDifferences);
  EXPECT_NEAR(allowance("grad_gamma", 0) / (u * (2 + u) * x_hat), 1, kSlack);
  const double mean = (2 * x_hat + other) / 2;
  EXPECT_NEAR(allowance("grad_x", 0) / (u * (1 + u) * r * (2 + x_hat * mean)), 1, kSlack);
  EXPECT_NEAR(allowance("grad_x", 1) / (u * (1 + u) * r * (1 + other * mean)), 1, kSlack);
}

// With x = (1, 3), gamma = (2, 1), grad_y = (1, -1) and eps = 0: mean 2, r = 1, x_hat = (-1, 1).
TEST(CastOrderOfNorms, AllowancesOfStoredStatisticsAreThoseOfTheFormula) {
  const auto tensor = [](const char* name, std::vector<std::size_t> shape,
                         const std::vector<double>& values) {
    return make_stored_tensor(name, DType::bfloat16, std::move(shape), values);
  };
  const Case c =
      certify::make_user_case({.name = "mine",
                               .op = "layer_norm",
                               .mode = "training",
                               .options = {{"eps", "0"}},
                               .sequence = false,
                               .inputs = {tensor("x", {1, 2}, {1, 3}), tensor("gamma", {2}, {2, 1}),
                                          tensor("grad_y", {1, 2}, {1, -1})}});
  const Tolerance usual = bounds_of(c, CastOrder::after_gamma),
                  wider = bounds_of(c, CastOrder::stored_statistics);
  const auto allowance = [&](const char* name, std::size_t i) {
    return wider.bound.at(name).data()[i] - usual.bound.at(name).data()[i];
  };
  constexpr double kSlack = 0x1p-18;
  const double u = 0x1p-8, e = 3 * u * (1 + u);  // r |mean| + |x_hat| = 3
  EXPECT_NEAR(allowance("y", 0) / (2 * e), 1, kSlack);
  EXPECT_NEAR(allowance("y", 1) / e, 1, kSlack);
  EXPECT_NEAR(allowance("grad_gamma", 1) / e, 1, kSlack);
  const double mean_g = 1.5, mean_error = 1.5 * e;  // |g| = (2, 1), and mean |g x_hat| = 1.5
  const double moved = (1 + u) * (e * mean_g + (1 + e) * mean_error);
  EXPECT_NEAR(allowance("grad_x", 0) / (u * (2 + mean_g + mean_g) + moved), 1, kSlack);
  EXPECT_NEAR(allowance("grad_x", 1) / (u * (1 + mean_g + mean_g) + moved), 1, kSlack);
}

TEST(CastOrderOfNorms, EachNameIsParsedAndAnUnknownOneNamesTheNearest) {
  for (const CastOrder order :
       {CastOrder::after_gamma, CastOrder::before_gamma, CastOrder::stored_statistics})
    EXPECT_EQ(parse_cast_order(to_string(order)), order);
  try {
    parse_cast_order("stored_statistic");
    ADD_FAILURE() << "expected an error";
  } catch (const ref::numeric::UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'stored_statistics'"));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
