#include "verification/checks/agreement/primitives.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::checks::agreement {
namespace {

TEST(PrimitiveAgreement, SimulatedDeviceHasTheBitsOfTheReference) {
  const auto device = gpu::device::simulated_device(9);
  Rows rows;
  for (const Primitive& primitive : primitives()) {
    primitive.agree_on(*device, 4, rows);
    EXPECT_EQ(rows.last().operation, primitive.name);
  }
  for (const Row& row : rows.all()) {
    EXPECT_EQ(row.difference, "") << row.operation;
    EXPECT_GT(row.elements, 0u);
  }
  EXPECT_EQ(rows.all().size(), 8u);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
