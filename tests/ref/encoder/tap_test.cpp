#include "ref/encoder/tap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace normproof::ref::encoder {
namespace {

using tensor::Tensor;
using ::testing::ElementsAre;

TEST(TensorTap, ReceivesOnlyTheTensorsThatItRequests) {
  std::vector<std::string> seen;
  const auto see = [&seen](const std::string& name, const Tensor<double>&) {
    seen.push_back(name);
  };
  const TensorTap<double> empty;
  EXPECT_FALSE(empty);
  EXPECT_FALSE(empty.requests("x"));
  empty("x", Tensor<double>{1, 2});
  EXPECT_TRUE(seen.empty());

  const TensorTap<double> all = see;
  EXPECT_TRUE(all);
  EXPECT_TRUE(all.requests("x"));
  all("x", Tensor<double>{1, 2});

  const TensorTap<double> selective_tap(see, [](const std::string& name) { return name == "y"; });
  EXPECT_TRUE(selective_tap);
  EXPECT_FALSE(selective_tap.requests("x"));
  selective_tap("x", Tensor<double>{1, 2});
  selective_tap("y", Tensor<double>{1, 2});
  EXPECT_THAT(seen, ElementsAre("x", "y"));
}

TEST(TensorTap, ReceivesMasksAsNumbersAndSkipsAbsentTensors) {
  std::vector<std::string> seen;
  Tensor<double> values;
  const TensorTap<double> tap = [&](const std::string& name, const Tensor<double>& tensor_values) {
    seen.push_back(name);
    values = tensor_values;
  };
  pass_to_tap(tap, "absent", Tensor<double>());
  pass_mask_to_tap(tap, "no mask", tensor::Mask());
  EXPECT_TRUE(seen.empty());
  pass_to_tap(tap, "x", Tensor<double>{1, 2});
  EXPECT_EQ(values, (Tensor<double>{1, 2}));
  pass_mask_to_tap(tap, "keep", tensor::Mask{true, false});
  EXPECT_EQ(values, (Tensor<double>{1, 0}));
  EXPECT_THAT(seen, ElementsAre("x", "keep"));
}

}  // namespace
}  // namespace normproof::ref::encoder
