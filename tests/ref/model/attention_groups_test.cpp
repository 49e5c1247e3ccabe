#include "ref/model/attention_groups.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::model {
namespace {

TEST(AttentionGroups, ContainAllHeadsOnlyIfTheirScoresFitTheSizeLimit) {
  EXPECT_EQ(heads_per_group(8, 64 * 64, 8), 8u);  // 8 * 64 * 64 * 8 bytes are 256 KiB
  EXPECT_EQ(heads_per_group(9, 64 * 64, 8), 1u);
  EXPECT_EQ(heads_per_group(8, 65 * 65, 8), 1u);
  EXPECT_EQ(heads_per_group(16, 64 * 64, 4), 16u);
}

}  // namespace
}  // namespace normproof::ref::model
