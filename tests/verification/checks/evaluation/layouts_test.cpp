#include "verification/checks/evaluation/layouts.hpp"

#include <gtest/gtest.h>

#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::tests::verification::checks::evaluation {
namespace {

using namespace normproof::verification::checks::evaluation;
using normproof::ref::model::Layout;
using normproof::ref::tensor::Shape;
using normproof::ref::tensor::shape_of;
using normproof::ref::tensor::Tensor;

/// Returns a tensor [2,3,2,5] whose elements are their indices in memory.
Tensor<double> make_index_tensor() {
  auto x = normproof::ref::tensor::empty_tensor<double>({2, 3, 2, 5});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
  return x;
}

TEST(ImageLayouts, ChannelsFirstIsTransposedToOneRowPerPixel) {
  const Tensor<double> x = make_index_tensor(), rows = convert_to_rows(Layout::channels_first, x);
  ASSERT_EQ(shape_of(rows), (Shape{2, 10, 3}));
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t w = 0; w < 5; ++w) EXPECT_EQ(rows(b, h * 5 + w, d), x(b, d, h, w));
}

TEST(ImageLayouts, ChannelsLastKeepsItsOrder) {
  const Tensor<double> x = make_index_tensor(), rows = convert_to_rows(Layout::channels_last, x);
  ASSERT_EQ(shape_of(rows), (Shape{2, 6, 5}));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(rows.data()[i], x.data()[i]);
}

TEST(ImageLayouts, RoundTripThroughRowsIsExact) {
  const Tensor<double> x = make_index_tensor();
  for (const Layout layout : {Layout::rows, Layout::channels_first, Layout::channels_last})
    EXPECT_BITS_EQ(convert_to_layout(layout, shape_of(x), convert_to_rows(layout, x)), x);
  EXPECT_EQ(convert_to_rows(Layout::channels_first, Tensor<double>()).dimension(), 0u);
}

}  // namespace
}  // namespace normproof::tests::verification::checks::evaluation
