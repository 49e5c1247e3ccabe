#include "verification/checks/agreement/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {
namespace {

TEST(OperationAgreement, OneCaseOfEveryOperationHasTheBitsOfTheReference) {
  const auto device = gpu::device::simulated_device(3);
  Rows rows;
  const std::vector<std::string> there = operations_on_device();
  std::string last;
  for (const golden::corpus::Case& c : golden::recipes::corpus(golden::corpus::Tier::quick)) {
    if (golden::corpus::case_operation_name(c) == last ||
        std::ranges::find(there, golden::corpus::case_operation_name(c)) == there.end())
      continue;
    const std::string name = golden::corpus::case_folder(c);
    compare_operation(*device, c.options, golden::recipes::inputs_of(c, name), name, rows);
    last = golden::corpus::case_operation_name(c);
  }
  for (const Row& row : rows.all()) EXPECT_EQ(row.difference, "") << row.operation;
  // The corpus has no cases of the norm `none`.
  EXPECT_EQ(rows.all().size(), there.size() - 1);
}

TEST(OperationAgreement, DevicesSupportAllOperationsExceptWholeTransformersAndGatedRMSNorm) {
  std::vector<std::string> expected = ref::model::operation_names();
  std::erase(expected, "gated_rms_norm");
  for (const std::string& name : ref::model::transformer_operation_names())
    std::erase(expected, name);
  EXPECT_EQ(operations_on_device(), expected);
}

TEST(OperationAgreement, UnsupportedWholeTransformerIsReportedAsADifference) {
  const auto device = gpu::device::simulated_device();
  Rows rows;
  compare_operation(*device, ref::model::operation("translator"), {}, "none", rows);
  EXPECT_FALSE(rows.agree());
}

TEST(OperationAgreement, DetectsOneDifferentBit) {
  const auto device = gpu::device::simulated_device();
  checks::evaluation::EvalInputs inputs;
  inputs.steps = {{.x = {{1, 2}, {3, 5}}, .grad_y = {{1, 0}, {0, 1}}}};
  Rows rows;
  compare_operation(*device, ref::model::NormOptions{ref::model::LayerNormOptions{}}, inputs,
                    "fine", rows);
  EXPECT_TRUE(rows.agree());
  rows.compare("y", 1.0, 1.0 + 0x1p-52);
  EXPECT_FALSE(rows.agree());
}

TEST(OperationAgreement, CountsCasesThatDeviceAndReferenceBothReject) {
  const auto device = gpu::device::simulated_device();
  checks::evaluation::EvalInputs inputs;
  inputs.steps = {{.x = {{1, 2}, {3, 5}}, .valid = {false, false}}};
  const ref::model::NormOptions options = ref::model::BatchNormOptions{};
  inputs.state = ref::norm::initial_state<double>(options, 2);
  Rows rows;
  compare_operation(*device, options, inputs, "refused", rows);
  EXPECT_TRUE(rows.agree());
  EXPECT_EQ(rows.all()[0].refused, 1u);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
