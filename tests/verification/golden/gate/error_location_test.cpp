#include "verification/golden/gate/error_location.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::gate {
namespace {

using Indices = std::vector<std::size_t>;

/// Returns the description of the elements of a [rows, width] tensor for which `wrong` is true.
template <class Wrong>
std::string describe_location(std::size_t rows, std::size_t width, Wrong wrong) {
  Indices found;
  for (std::size_t i = 0; i < rows * width; ++i)
    if (wrong(i / width, i % width)) found.push_back(i);
  return describe_error_location(found, {rows, width});
}

TEST(ErrorLocation, NamesRowsAndColumns) {
  EXPECT_EQ(describe_location(4, 6, [](auto, auto) { return true; }), "every element");
  EXPECT_EQ(describe_location(4, 6, [](auto row, auto) { return row == 3; }), "the last row");
  EXPECT_EQ(describe_location(4, 6, [](auto row, auto) { return row == 0; }), "the first row");
  EXPECT_EQ(describe_location(4, 6, [](auto row, auto) { return row == 2; }), "row 2");
  EXPECT_EQ(describe_location(4, 6, [](auto, auto column) { return column == 5; }),
            "the last column");
  EXPECT_EQ(describe_location(4, 6, [](auto row, auto column) { return row == 3 && column == 5; }),
            "the last row, the last column");
}

TEST(ErrorLocation, NamesARemainderOrABlock) {
  EXPECT_EQ(describe_location(3, 1200, [](auto, auto column) { return column >= 1024; }),
            "columns from 1024 on");
  EXPECT_EQ(
      describe_location(3, 1200, [](auto, auto column) { return column >= 256 && column < 512; }),
      "columns 256 to 511");
  EXPECT_EQ(describe_location(130, 5, [](auto row, auto) { return row >= 128; }),
            "rows from 128 on");
  EXPECT_EQ(describe_location(4, 10, [](auto row, auto column) { return row * 10 + column >= 27; }),
            "elements from 27 on");
}

TEST(ErrorLocation, NamesLanesModuloAPowerOfTwo) {
  EXPECT_EQ(describe_location(4, 64, [](auto, auto column) { return column % 8 == 3; }),
            "columns 3 modulo 8");
  EXPECT_EQ(describe_location(64, 4, [](auto row, auto) { return row % 2 == 1; }),
            "rows 1 modulo 2");
}

TEST(ErrorLocation, NamesARegionEvenIfSomeOfItsElementsAreCorrect) {
  EXPECT_EQ(
      describe_location(4, 100, [](auto row, auto column) { return row == 3 && column % 7 != 0; }),
      "the last row");
  EXPECT_EQ(
      describe_location(10, 10, [](auto row, auto column) { return row == 1 && column == 7; }),
      "row 1, column 7");
  EXPECT_EQ(describe_location(10, 10, [](auto row, auto column) { return row == column; }),
            "10 of 100 elements");
}

TEST(ErrorLocation, TreatsAVectorAsOneRow) {
  EXPECT_EQ(describe_error_location({4}, {5}), "the last column");
  EXPECT_EQ(describe_error_location({0, 1, 2}, {3}), "every element");
}

TEST(ErrorLocation, C1_RejectsIndicesOutsideTheTensor) {
  for (const Indices& wrong : {Indices{}, Indices{6}})
    EXPECT_EQ(ref::numeric::contract_message([&] {
                describe_error_location(wrong, {2, 3});
              }),
              "find_kind_and_index: wrong is empty or past the end; expected elements of the "
              "tensor (C1)");
}

}  // namespace
}  // namespace normproof::verification::golden::gate
