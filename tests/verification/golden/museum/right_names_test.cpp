#include "verification/golden/museum/right_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/golden/museum/exhibit.hpp"

namespace normproof::verification::golden::museum {
namespace {

TEST(RightNames, BelongToExhibits) {
  std::vector<std::string> exhibits;
  for (const Exhibit& exhibit : all_exhibits()) exhibits.push_back(exhibit.name);
  for (const auto& [exhibit, names] : right_names()) {
    EXPECT_THAT(exhibits, testing::Contains(exhibit));
    EXPECT_THAT(names, testing::Not(testing::IsEmpty())) << exhibit;
  }
}

TEST(RightNames, AreTheNamesThatDescribeTheBug) {
  EXPECT_TRUE(is_right_name("mean_subtracted_twice", "mean of g: twice"));
  EXPECT_FALSE(is_right_name("mean_subtracted_twice", "mean of g: dropped"));
  EXPECT_FALSE(is_right_name("last_tile_alone", "mean of g: twice"));
}

}  // namespace
}  // namespace normproof::verification::golden::museum
