#include "verification/checks/agreement/agree.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::checks::agreement {
namespace {

TEST(DeviceAgreement, EveryOperationMatchesTheReferenceAndIsReportedOnce) {
  const auto device = gpu::device::simulated_device(11);
  std::vector<std::string> shown;
  const Rows rows = compare_ordered_mode(*device, 2, golden::corpus::Tier::quick, {},
                                         [&](const Row& row) { shown.push_back(row.operation); });
  ASSERT_EQ(shown.size(), rows.all().size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    EXPECT_EQ(rows.all()[i].difference, "") << rows.all()[i].operation;
    EXPECT_EQ(shown[i], rows.all()[i].operation);
  }
  EXPECT_EQ(shown, list_rows_in_order());
  EXPECT_GT(rows.cases(), 500u);
}

TEST(DeviceAgreement, RunsOnlyOperationsThatMatchAGlob) {
  const auto device = gpu::device::simulated_device(11);
  golden::corpus::PathGlobs relu_glob("relu");
  relu_glob.globs.emplace_back("emb*");
  std::vector<std::string> shown;
  compare_ordered_mode(*device, 2, golden::corpus::Tier::quick, relu_glob,
                       [&](const Row& row) { shown.push_back(row.operation); });
  EXPECT_EQ(shown, (std::vector<std::string>{"embedding", "relu"}));
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
