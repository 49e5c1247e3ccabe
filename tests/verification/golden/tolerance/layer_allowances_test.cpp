#include "verification/golden/tolerance/layer_allowances.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

double find_largest_allowance(const ref::tensor::Tensor<double>& tensor) {
  return *std::max_element(tensor.data(), tensor.data() + tensor.size());
}

TEST(LayerAllowances, AllowBetaToBeAddedToTheStoredOutput) {
  const auto y_of = [](const char* layer, DType dtype) {
    return find_largest_allowance(
        derive_tolerance(plain_recipe(layer, {4, 6}, dtype).make(1), Accumulation::float32)
            .bound.at("y"));
  };
  EXPECT_GT(y_of("rms_norm", DType::bfloat16), 0x1p-8);
  EXPECT_LT(y_of("rms_norm", DType::float32), 0x1p-16);
  EXPECT_LT(y_of("layer_norm", DType::bfloat16), 0x1p-16);
}

TEST(LayerAllowances, AllowRunningStatisticsToBeConverted) {
  Case c = plain_recipe("batch_norm", {4, 3}, DType::float32).make(1);
  c.exact = true;
  const Tolerance bounds = derive_tolerance(c, Accumulation::float32);
  for (const char* name : {"running_mean", "running_variance"})
    EXPECT_GT(find_largest_allowance(bounds.bound.at(name)), 0) << name;
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
