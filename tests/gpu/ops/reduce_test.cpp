#include "gpu/ops/reduce.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/ops/reduce.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

const Shape kReduceShapes[] = {{1, 1}, {1, 33}, {33, 1}, {31, 64}, {100, 5}, {70000, 3}, {2, 1025}};

TEST(DeviceReductions, MatchReferenceBits) {
  for (const auto& device : make_simulated_devices()) {
    for (const Shape& shape : kReduceShapes) {
      const Tensor x = random_wide_range_tensor(shape, "x"),
                   w = random_wide_range_tensor(shape, "w");
      const auto dx = upload(*device, x), dw = upload(*device, w);
      EXPECT_BITS_EQ(download(sum_rows(dx)), ref::ops::sum_rows(x));
      EXPECT_BITS_EQ(download(sum_columns(dx)), ref::ops::sum_columns(x));
      EXPECT_BITS_EQ(download(dot_rows(dx, dw)), ref::ops::dot_rows(x, w));
      EXPECT_BITS_EQ(download(sum_elements(dx)).data()[0], ref::ops::sum_elements(x));
    }
  }
}

// Shows that the test above can fail. For its inputs, a sum in one chain has different bits, and so
// does a sum whose tree of lanes first adds neighboring lanes.
TEST(DeviceReductions, DifferForTheTestInputsIfSummedInAnotherOrder) {
  int chains = 0, trees = 0;
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    const Tensor x = random_wide_range_tensor({1, 1025}, name);
    double chain = 0;
    for (const double v : x) chain += v;
    double lane[kLanes] = {};
    for (std::size_t i = 0; i < x.size(); ++i) lane[i % kLanes] += x.data()[i];
    for (std::size_t stride = 1; stride < kLanes; stride *= 2)
      for (std::size_t l = 0; l < kLanes; l += 2 * stride) lane[l] += lane[l + stride];
    chains += chain != ref::ops::sum_elements(x);
    trees += lane[0] != ref::ops::sum_elements(x);
  }
  EXPECT_GE(chains, 1);
  EXPECT_GE(trees, 1);
}

TEST(DeviceReductions, FindTheFirstInvalidElement) {
  const auto device = device::simulated_device();
  Tensor x = ref::tensor::full_tensor<double>({5000}, 1.0);
  EXPECT_EQ(find_first_not_finite(upload(*device, x)), 5000u);
  x.data()[4321] = -0.0;
  EXPECT_EQ(find_first_not_finite(upload(*device, x)), 5000u);
  EXPECT_EQ(find_first_not_positive(upload(*device, x)), 4321u);
  x.data()[4999] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(find_first_not_finite(upload(*device, x)), 4999u);
  x.data()[1024] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(find_first_not_finite(upload(*device, x)), 1024u);
}

TEST(DeviceReductions, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const Tensor flat = {1, 2};
  const auto there = upload(*device, flat);
  using ref::numeric::contract_message;
  EXPECT_EQ(contract_message([&] { sum_rows(there); }),
            contract_message([&] { ref::ops::sum_rows(flat); }));
  EXPECT_EQ(contract_message([&] { sum_columns(there); }),
            contract_message([&] { ref::ops::sum_columns(flat); }));
}

}  // namespace
}  // namespace normproof::gpu::ops
