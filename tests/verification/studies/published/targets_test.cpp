#include "verification/studies/published/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace normproof::verification::studies::published {
namespace {

using ::testing::ElementsAre;

TEST(MisalignedTargets, MatchHandComputation) {
  // There are two sentences of three positions. In the order (t, b), the rows are 0 1 | 2 3 | 4 5.
  // Row i has the label of sentence floor(i/3).
  const ref::train::LabelledBatch batch{{{2, 3, {1, 2, 3, 4, 5, 6}}, {}}, {7, 8}, {}};
  // Sentence 0 has the rows 0, 2 and 4. Sentence 1 has the rows 1, 3 and 5.
  EXPECT_THAT(misaligned_targets(batch, true), ElementsAre(7, 7, 8, 7, 8, 8));
}

TEST(MisalignedTargets, PaddingCountsUnlessMasked) {
  ref::train::LabelledBatch batch{{{3, 2, {1, 2, 3, 0, 5, 6}}, {}}, {7, 8, 9}, {}};
  batch.inputs.valid = {{true, true}, {true, false}, {true, true}};
  // In the order (t, b), the rows are 0 1 2 | 3 4 5. Row i has the label of sentence floor(i/2): 7
  // 7 8 | 8 9 9.
  EXPECT_THAT(misaligned_targets(batch, false), ElementsAre(7, 8, 7, 9, 8, 9));
  EXPECT_THAT(misaligned_targets(batch, true), ElementsAre(7, 8, 7, -1, 8, 9));
}

TEST(MisalignedTargets, UseEachLabelOncePerPosition) {
  ref::train::LabelledBatch batch{
      {{5, 4, std::vector<std::int32_t>(20, 1)}, {}}, {0, 1, 2, 3, 4}, {}};
  const auto targets = misaligned_targets(batch, false);
  for (int label = 0; label < 5; ++label) EXPECT_EQ(std::ranges::count(targets, label), 4);
}

}  // namespace
}  // namespace normproof::verification::studies::published
