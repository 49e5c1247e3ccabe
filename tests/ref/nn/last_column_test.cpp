#include "ref/nn/last_column.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::nn {
namespace {

using tensor::Tensor;

TEST(LastColumn, IsAppendedToEachRowByItsNumber) {
  const Tensor<double> x{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  const Tensor<double> longer =
      append_column(x, [](std::size_t row) { return 10 * static_cast<double>(row); });
  EXPECT_EQ(longer, (Tensor<double>{{{1, 2, 0}, {3, 4, 10}}, {{5, 6, 20}, {7, 8, 30}}}));
}

TEST(LastColumn, IsSplitFromTheOthers) {
  const SplitColumns<double> parts = split_last_column(Tensor<double>{{{1, 2, 3}, {4, 5, 6}}});
  EXPECT_EQ(parts.first, (Tensor<double>{{{1, 2}, {4, 5}}}));
  EXPECT_EQ(parts.last, (Tensor<double>{{3, 6}}));
}

}  // namespace
}  // namespace normproof::ref::nn
