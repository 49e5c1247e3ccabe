#include "verification/studies/published/initial_gradients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/studies/published/samples.hpp"
#include "verification/studies/published/cell_run.hpp"

namespace normproof::verification::studies::published {
namespace {

using ::testing::IsEmpty;

CellResult make_result_with_gradients(std::vector<std::pair<std::string, double>> gradients) {
  CellResult cell;
  cell.initial_gradients = std::move(gradients);
  return cell;
}

TEST(GradientSpreads, HoldMeanAndSampleDeviation) {
  const auto spreads = gradient_spreads({make_result_with_gradients({{"a", 1}, {"b", 5}}),
                                         make_result_with_gradients({}),
                                         make_result_with_gradients({{"a", 3}, {"b", 5}}),
                                         make_result_with_gradients({{"a", 5}, {"b", 5}})});
  ASSERT_EQ(spreads.size(), 2u);
  EXPECT_EQ(spreads[0].tensor, "a");
  EXPECT_EQ(spreads[0].mean, 3);
  EXPECT_EQ(spreads[0].standard_deviation, 2);
  EXPECT_EQ(spreads[0].cells, 3u);
  EXPECT_EQ(spreads[1].standard_deviation, 0);
  EXPECT_EQ(gradient_spreads({make_result_with_gradients({{"a", 1}})})[0].standard_deviation, 0);
  EXPECT_THAT(gradient_spreads({}), IsEmpty());
}

TEST(GradientSpreads, C1_RejectsOtherTensors) {
  CellResult other = make_result_with_gradients({{"b", 1}});
  other.name = "other";
  EXPECT_EQ(ref::numeric::contract_message([&] {
              gradient_spreads({make_result_with_gradients({{"a", 1}}), other});
            }),
            "gradient_spreads: other has other tensors; expected those of the first cell (C1)");
}

TEST(InitialGradients, ShallowModelsHaveElevenTensorsAndDeepOnesFortyThree) {
  const auto data = training::small_dataset();
  Cell cell{.norm = "batch_norm", .steps = 0};
  const CellResult shallow = run_cell(cell, data);
  EXPECT_THAT(shallow.steps, IsEmpty());
  ASSERT_EQ(shallow.initial_gradients.size(), 11u);
  EXPECT_EQ(shallow.initial_gradients.front().first, "embedding.weight");
  EXPECT_EQ(shallow.initial_gradients.back().first, "head.bias");
  cell.layers = 5;
  EXPECT_EQ(run_cell(cell, data).initial_gradients.size(), 43u);
  cell = {.norm = "batch_norm", .steps = 2};
  EXPECT_EQ(run_cell(cell, data).initial_gradients, shallow.initial_gradients);
  cell.seed = 1;
  EXPECT_NE(run_cell(cell, data).initial_gradients, shallow.initial_gradients);
}

}  // namespace
}  // namespace normproof::verification::studies::published
