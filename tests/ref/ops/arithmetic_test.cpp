#include "ref/ops/arithmetic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::ops {
namespace {

using ::testing::HasSubstr;

TEST(InPlaceArithmetic, MatchesHandComputedValues) {
  Tensor<double> y{{1, 2}, {3, 4}};
  add_in_place(y, Tensor<double>{{10, 20}, {30, 0x1p60}});
  EXPECT_EQ(y, (Tensor<double>{{11, 22}, {33, 0x1p60}}));
  scale_in_place(y, 0.5);
  EXPECT_EQ(y, (Tensor<double>{{5.5, 11}, {16.5, 0x1p59}}));
}

TEST(InPlaceArithmetic, ProcessesEveryElementWithSeveralThreads) {
  constexpr std::size_t kCount = 100'003;
  Tensor<double> y = tensor::full_tensor<double>({kCount}, 1.0);
  const Tensor<double> x = tensor::full_tensor<double>({kCount}, 2.0);
  numeric::set_num_threads(3);
  add_in_place(y, x);
  scale_in_place(y, 4.0);
  EXPECT_EQ(y, tensor::full_tensor<double>({kCount}, 12.0));
  numeric::set_num_threads(1);
}

TEST(AddInPlace, C1_RejectsDifferentShapes) {
  Tensor<double> y{1, 2};
  EXPECT_THAT(numeric::contract_message([&] {
                add_in_place(y, Tensor<double>{1, 2, 3});
              }),
              HasSubstr("x has shape [3]; expected shape [2]"));
}

}  // namespace
}  // namespace normproof::ref::ops
