#include "verification/agreement/agree.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::agreement {
namespace {

TEST(Agree, EveryOperationOfEveryPartHasTheBitsOfTheReference) {
  const auto device = gpu::device::simulated_device(11);
  std::vector<std::string> parts;
  const Agreement found =
      agree_ordered(*device, 2, [&](std::string_view part) { parts.emplace_back(part); });
  for (const Row& row : found.rows.all()) EXPECT_EQ(row.difference, "") << row.operation;
  EXPECT_EQ(parts,
            (std::vector<std::string>{"primitives", "golden corpus", "random cases", "training"}));
  EXPECT_GT(found.rows.cases(), 500u);
}

}  // namespace
}  // namespace normproof::verification::agreement
