#include "verification/golden/reports/sensitivity.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::reports {
namespace {

/// Returns the result of a case with one output.
gate::CaseResult result_with_output(const std::string& path, double smallest_found_error,
                                    std::size_t accept_zeros = 0) {
  gate::CaseResult result;
  result.description.path = path;
  result.description.c.options = ref::model::operation("layer_norm");
  result.description.c.dtype = ref::io::DType::float32;
  gate::TensorResult y;
  y.name = "y";
  y.count = 3;
  y.vacuous = accept_zeros;
  y.smallest_found_error = smallest_found_error;
  result.tensors.push_back(y);
  return result;
}

TEST(Sensitivity, IsTheSmallestErrorThatACaseFinds) {
  Sensitivity sensitivity;
  sensitivity.add(result_with_output("first", 1e-4, 2));
  sensitivity.add(result_with_output("second", 1e-6));
  sensitivity.add(result_with_output("third", 1e-5));
  ASSERT_EQ(sensitivity.outputs().size(), 1u);
  const OutputSensitivity y = sensitivity.outputs()[0];
  EXPECT_EQ(y.operation, "layer_norm");
  EXPECT_EQ(y.output, "y");
  EXPECT_EQ(y.smallest_found_error, 1e-6);
  EXPECT_EQ(y.found_by, "second");
  EXPECT_EQ(y.cases, 3u);
  EXPECT_EQ(y.elements, 9u);
  EXPECT_EQ(y.accept_zeros, 2u);
}

TEST(Sensitivity, LeavesOutOutputsThatFailed) {
  Sensitivity sensitivity;
  gate::CaseResult wrong = result_with_output("first", 1e-4);
  wrong.tensors[0].failed = {0};
  sensitivity.add(wrong);
  EXPECT_TRUE(sensitivity.outputs().empty());
}

}  // namespace
}  // namespace normproof::verification::golden::reports
