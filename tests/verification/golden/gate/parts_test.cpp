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

std::vector<Part> parts_of(std::vector<double> exact, std::vector<double> bound,
                           std::size_t length) {
  const JudgedValues judged = judged_values(std::move(exact), std::move(bound));
  std::vector<Part> parts(judged.high.size() / length);
  add_to_parts(judged, 0, length, parts);
  return parts;
}

std::vector<bool> find_vacuous(const std::vector<Part>& parts) {
  std::vector<bool> vacuous;
  for (const Part& part : parts) vacuous.push_back(part.is_vacuous());
  return vacuous;
}

TEST(PartOfAnOutput, IsVacuousIfAllItsElementsMayBeZero) {
  const std::vector<Part> parts = parts_of({1, -2, 1, -2}, {1, 2, 1, 1.5}, 2);
  EXPECT_THAT(find_vacuous(parts), ElementsAre(true, false));
  EXPECT_EQ(parts[1].smallest_error, 0.75);
  EXPECT_EQ(parts[1].judged, 2u);
}

TEST(PartOfAnOutput, IsNotVacuousWhereZeroIsRight) {
  EXPECT_THAT(find_vacuous(parts_of({0, 0}, {1, 1}, 2)), ElementsAre(false));
  EXPECT_THAT(find_vacuous(parts_of({0, 0.5}, {1, 1}, 1)), ElementsAre(false, true));
}

TEST(PartOfAnOutput, HasFiniteElementsWithFiniteBoundsOnly) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<Part> tight = parts_of({kNotANumber, 3, 3}, {0, kInfinite, 1}, 3);
  EXPECT_THAT(find_vacuous(tight), ElementsAre(false));
  EXPECT_EQ(tight[0].judged, 1u);
  EXPECT_THAT(find_vacuous(parts_of({kNotANumber, 3, 3}, {0, kInfinite, 4}, 3)), ElementsAre(true));
}

TEST(PartOfAnOutput, IsFilledByRangesThatDivideIt) {
  std::vector<Part> parts(1);
  add_to_parts(judged_values({1, 2}, {4, 4}), 0, 3, parts);
  EXPECT_TRUE(parts[0].is_vacuous());
  add_to_parts(judged_values({3}, {1}), 2, 3, parts);
  EXPECT_FALSE(parts[0].is_vacuous());
  EXPECT_EQ(parts[0].judged, 3u);
}

TEST(PartOfAnOutput, CountsThePassedElementsOfSelectedParts) {
  const std::vector<Part> parts = parts_of({1, 1, 1, 1}, {2, 2, 2, 2}, 2);
  EXPECT_EQ(count_passed(parts, {true, false}, 2, {}), 2u);
  EXPECT_EQ(count_passed(parts, {true, false}, 2, {1, 3}), 1u);
  EXPECT_EQ(count_passed(parts, {true, true}, 2, {1, 3}), 2u);
}

}  // namespace
}  // namespace normproof::verification::golden::gate
