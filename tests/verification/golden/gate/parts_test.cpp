#include "verification/golden/gate/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::ElementsAre;

JudgedValues judged_values(std::vector<double> exact, std::vector<double> bound) {
  JudgedValues judged;
  judged.low.assign(exact.size(), 0);
  judged.high = std::move(exact);
  judged.bound = std::move(bound);
  return judged;
}

TEST(ElementsPerPart, FollowTheIndependenceOfTheOperation) {
  const auto per_part = [](const char* operation, const char* output, std::size_t size) {
    return elements_per_part(plain_recipe(operation, {3, 4}, DType::float32).make(1), output, size);
  };
  EXPECT_EQ(per_part("gelu", "y", 12), 1u);
  EXPECT_EQ(per_part("layer_norm", "y", 12), 4u);
  EXPECT_EQ(per_part("layer_norm", "grad_x", 12), 4u);
  EXPECT_EQ(per_part("layer_norm", "grad_gamma", 4), 4u);
  EXPECT_EQ(per_part("batch_norm", "y", 12), 12u);
}

TEST(VacuousBounds, AreThoseOfAPartWhoseElementsMayAllBeZero) {
  EXPECT_THAT(find_vacuous_bounds(judged_values({1, -2, 1, -2}, {1, 2, 1, 1.5}), 2),
              ElementsAre(true, true, false, false));
}

TEST(VacuousBounds, AreNoneWhereZeroIsRight) {
  EXPECT_THAT(find_vacuous_bounds(judged_values({0, 0}, {1, 1}), 2), ElementsAre(false, false));
  EXPECT_THAT(find_vacuous_bounds(judged_values({0, 0.5}, {1, 1}), 1), ElementsAre(false, true));
}

TEST(VacuousBounds, DependOnFiniteElementsOnly) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(find_vacuous_bounds(judged_values({kNotANumber, 3, 3}, {0, kInfinite, 1}), 3),
              ElementsAre(false, false, false));
  EXPECT_THAT(find_vacuous_bounds(judged_values({kNotANumber, 3, 3}, {0, kInfinite, 4}), 3),
              ElementsAre(true, true, true));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
