#include "ref/nn/dropout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::HasSubstr;

TEST(Dropout, MaskDependsOnlyOnKeyAndElement) {
  const DropoutKey key{7, 3, "layers.0.attention.y"};
  const Mask mask = dropout_mask({100, 100}, 0.25, key);
  const numeric::RandomStream random(7, "dropout/3/layers.0.attention.y");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    ASSERT_EQ(mask.data()[i], random.uniform(i) >= 0.25);
    kept += mask.data()[i] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(kept), 7500, 250);
  EXPECT_EQ(dropout_mask({50, 200}, 0.25, key).storage(), mask.storage());
  for (const DropoutKey& other : {DropoutKey{8, 3, key.place}, DropoutKey{7, 4, key.place},
                                  DropoutKey{7, 3, "layers.1.attention.y"}})
    EXPECT_NE(dropout_mask({100, 100}, 0.25, other), mask);
  numeric::set_num_threads(3);
  EXPECT_EQ(dropout_mask({100, 100}, 0.25, key), mask);
  numeric::set_num_threads(1);
}

TEST(Dropout, ScalesKeptElementsAndZeroesTheOthers) {
  const Tensor<double> x{{3, -6}, {9, 12}};
  EXPECT_EQ(dropout(x, Mask{{true, false}, {false, true}}, 0.25),
            (Tensor<double>{{4, 0}, {0, 16}}));
  Tensor<double> in_place = x;
  dropout_in_place(in_place, Mask{{true, false}, {false, true}}, 0.25);
  EXPECT_EQ(in_place, (Tensor<double>{{4, 0}, {0, 16}}));
  EXPECT_EQ(dropout(x, Mask{{true, true}, {true, true}}, 0), x);
}

TEST(Dropout, C3_RejectsAGivenMaskWithTooFewElements) {
  const Mask given{true, false, false, true, true};
  const DropoutKey key{1, 2, "place", &given};
  EXPECT_EQ(dropout_mask({5}, 0.5, key), given);
  EXPECT_EQ(dropout_mask({2}, 0.5, key, 2), (Mask{false, true}));
  EXPECT_THAT(numeric::contract_message([&] { dropout_mask({3}, 0.5, key, 3); }),
              HasSubstr("key.given has 5 elements; expected 3 of them from 3 on (C3)"));
}

TEST(Dropout, C1_RejectsRateOfOne) {
  EXPECT_THAT(numeric::contract_message([] { dropout_mask({1}, 1, {}); }),
              HasSubstr("0 <= rate < 1 (C1)"));
}

TEST(Dropout, C2_RejectsKeepOfWrongShape) {
  EXPECT_THAT(numeric::contract_message([] {
                dropout(Tensor<double>{1, 2}, Mask{true}, 0.5);
              }),
              HasSubstr("keep has shape [1]; expected shape [2]"));
}

}  // namespace
}  // namespace normproof::ref::nn
