#include "ref/encoder/tap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace normproof::ref::encoder {
namespace {

using tensor::Tensor;
using ::testing::ElementsAre;

TEST(Tap, ReceivesOnlyTheTensorsThatItRequests) {
  std::vector<std::string> seen;
  const auto see = [&seen](const std::string& name, const Tensor<double>&) {
    seen.push_back(name);
  };
  const Tap<double> empty;
  EXPECT_FALSE(empty);
  EXPECT_FALSE(empty.requests("x"));
  empty("x", Tensor<double>{1, 2});
  EXPECT_TRUE(seen.empty());

  const Tap<double> all = see;
  EXPECT_TRUE(all);
  EXPECT_TRUE(all.requests("x"));
  all("x", Tensor<double>{1, 2});

  const Tap<double> some(see, [](const std::string& name) { return name == "y"; });
  EXPECT_TRUE(some);
  EXPECT_FALSE(some.requests("x"));
  some("x", Tensor<double>{1, 2});
  some("y", Tensor<double>{1, 2});
  EXPECT_THAT(seen, ElementsAre("x", "y"));
}

TEST(Tap, ReceivesMasksAsNumbersAndSkipsAbsentTensors) {
  std::vector<std::string> seen;
  Tensor<double> values;
  const Tap<double> tap = [&](const std::string& name, const Tensor<double>& tensor_values) {
    seen.push_back(name);
    values = tensor_values;
  };
  show(tap, "absent", Tensor<double>());
  show_mask(tap, "no mask", tensor::Mask());
  EXPECT_TRUE(seen.empty());
  show(tap, "x", Tensor<double>{1, 2});
  EXPECT_EQ(values, (Tensor<double>{1, 2}));
  show_mask(tap, "keep", tensor::Mask{true, false});
  EXPECT_EQ(values, (Tensor<double>{1, 0}));
  EXPECT_THAT(seen, ElementsAre("x", "keep"));
}

}  // namespace
}  // namespace normproof::ref::encoder
