#include "verification/studies/published/published.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/studies/published/plan.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using namespace normproof::verification::studies::published;
using testing::SizeIs;

TEST(PublishedHighestRate, C1_RejectsTablesThatThePaperDoesNotHave) {
  for (const std::size_t table : {std::size_t{0}, std::size_t{7}})
    for (const char* norm : {"layer_norm", "power_norm"})
      EXPECT_EQ(
          normproof::ref::numeric::contract_message([&] { published_outcome(table, norm, "0.1"); }),
          "published_highest_rate: table is " + std::to_string(table) + "; expected 1 to 6 (C1)");
}

// The expected numbers are counted by hand in the published table of highest rates.
TEST(PublishedResults, CellsConvergedUpToTheHighestRate) {
  std::size_t converged = 0, cells = 0;
  for (const TableShape& shape : table_shapes())
    for (const std::string& rate : study_rates())
      for (const char* norm : {"layer_norm", "batch_norm", "none"}) {
        ++cells;
        converged += *published_outcome(shape.number, norm, rate) ? 1 : 0;
      }
  EXPECT_EQ(cells, 126U);
  // LayerNorm has 6 x 5 converged cells, BatchNorm 5 + 5 + 4 + 2 + 2 + 1, and no norm 3 x 4 + 2 + 2
  // + 1.
  EXPECT_EQ(converged, 30U + 19U + 17U);
  EXPECT_EQ(published_outcome(4, "none", "1e-3"), true);
  EXPECT_EQ(published_outcome(4, "none", "1e-2"), false);
}

TEST(PublishedResults, OtherNormsHaveNoPublishedResults) {
  EXPECT_EQ(published_outcome(1, "power_norm", "0.1"), std::nullopt);
  EXPECT_EQ(published_outcome(1, "none", "0.2"), std::nullopt);
  EXPECT_EQ(published_initialization("power_norm", "uniform-0.1"), std::nullopt);
  EXPECT_EQ(published_initialization("none", "uniform-7"), std::nullopt);
  EXPECT_EQ(published_initialization("none", "uniform-100"), false);
  EXPECT_THAT(published_shallow_gradients("rms_norm"), SizeIs(0));
  EXPECT_THAT(published_points(7, "none"), SizeIs(0));
}

TEST(PublishedResults, FiguresHaveElevenTensorsAndFiveLayers) {
  for (const char* norm : {"layer_norm", "batch_norm", "none"}) {
    EXPECT_THAT(published_shallow_gradients(norm), SizeIs(11));
    EXPECT_THAT(published_deep_gradients(norm), SizeIs(5));
    EXPECT_TRUE(published_deep_embedding(norm));
    for (const std::size_t figure : {4, 5, 6}) EXPECT_FALSE(published_points(figure, norm).empty());
  }
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
