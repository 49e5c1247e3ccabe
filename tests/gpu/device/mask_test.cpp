#include "gpu/device/mask.hpp"

#include <gtest/gtest.h>

namespace normproof::gpu::device {
namespace {

TEST(DeviceMask, ListsPositionsOfValidTokens) {
  const auto device = simulated_device();
  const Mask valid = {{true, false, true}, {false, false, false}};
  const DeviceMask mask(*device, valid);
  EXPECT_TRUE(mask.masks());
  EXPECT_EQ(mask.count(), 2u);
  EXPECT_EQ(mask.first_empty_sentence(), 1u);
  EXPECT_EQ(mask.rows().size, 2u);
  EXPECT_EQ(mask.rows()[1], 2u);
  const TokenPositions places = mask.places(3);
  EXPECT_EQ(places.size(0), 2u);
  EXPECT_EQ(places.size(1), 0u);
  EXPECT_EQ(places.at(0, 1), 2u);
}

TEST(DeviceMask, FullMaskAndAbsentMaskExcludeNoToken) {
  const auto device = simulated_device();
  const DeviceMask full(*device, Mask{true, true});
  EXPECT_TRUE(full.is_given());
  EXPECT_FALSE(full.masks());
  EXPECT_FALSE(full.flags().given());
  EXPECT_EQ(full.places(1).size(0), 1u);
  EXPECT_FALSE(DeviceMask(*device, Mask{}).is_given());
}

}  // namespace
}  // namespace normproof::gpu::device
