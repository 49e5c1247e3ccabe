#include "verification/checks/agreement/order_subjects.hpp"

#include <gtest/gtest.h>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::agreement {
namespace {

SummationTree reveal_summation_tree(const OrderedComputation& subject, std::size_t count) {
  const auto device = gpu::device::simulated_device(0);
  return reveal_order(
      [&](const std::vector<double>& terms) {
        return subject.sum({device.get(), 8}, terms);
      },
      count);
}

TEST(ProbedSummations, ImplementationsOfThisProjectSumInTheSpecifiedOrder) {
  for (const char* name : {"sum-elements", "sum-columns", "matmul", "device-sum-elements",
                           "device-sum-columns", "device-matmul"})
    for (const std::size_t count : {1, 2, 31, 33, 70}) {
      const OrderedComputation& subject = find_ordered_computation(name);
      EXPECT_EQ(to_string(reveal_summation_tree(subject, count)),
                to_string(subject.expected(count)))
          << name << " " << count;
    }
}

TEST(ProbedSummations, ProbeRevealsThatLongProductsSumInBlocksOf256) {
  EXPECT_EQ(to_string(reveal_summation_tree(find_ordered_computation("matmul"), 600)),
            "[0..255 [256..511] [512..599]]");
  EXPECT_EQ(to_string(reveal_summation_tree(find_ordered_computation("device-matmul"), 300)),
            "[0..255 [256..299]]");
}

// With seed 0 the simulated library adds from left to right. The test numbers fit into float16 and
// float32.
TEST(ProbedSummations, ProbeRevealsTheOrderOfALibraryInEveryPrecision) {
  for (const char* name :
       {"cublas", "cublas-float32", "cublas-tf32", "cublas-bfloat16", "cublas-float16"})
    EXPECT_EQ(to_string(reveal_summation_tree(find_ordered_computation(name), 300)), "[0..299]")
        << name;
}

TEST(ProbedSummations, SimulatedDeviceHasNoTensorCores) {
  for (const char* name : {"device-dmma", "device-dmma-wide"})
    EXPECT_THROW(reveal_summation_tree(find_ordered_computation(name), 8),
                 gpu::device::NoDeviceError)
        << name;
}

TEST(ProbedSummations, ProbingCostGrowsWithTheSquareOfTheNumberOfTerms) {
  EXPECT_EQ(find_ordered_computation("sum-elements").min_additions(1000, 8), 1e6);
  EXPECT_EQ(find_ordered_computation("matmul").min_additions(1000, 8), 64e6);
  EXPECT_EQ(find_ordered_computation("device-matmul").min_additions(1000, 8), 4096e6);
}

TEST(ProbedSummations, RejectsAnUnknownName) {
  EXPECT_THROW(find_ordered_computation("sum"), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
