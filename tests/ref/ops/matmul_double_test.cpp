#include "ref/ops/matmul_double.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/ops/naive_matmul.hpp"

namespace normproof::ref::ops {
namespace {

// Calls f(label) with every instruction set of this processor and several thread counts. The first
// call runs with the baseline instruction set and one thread.
template <class F>
void for_each_instruction_set(const F& f) {
  for (const auto& set : numeric::instruction_sets())
    for (const int threads : {1, 2, 3, 5}) {
      numeric::select_instruction_set(set);
      numeric::set_num_threads(threads);
      f(set + ", " + std::to_string(threads) + " threads");
    }
  numeric::set_num_threads(1);
}

// A matrix of the given extents in random memory. The layout may leave gaps between its elements,
// which a product must not change.
struct StoredMatrix {
  std::vector<double> values;
  MatrixView<double> view;
};

enum class Layout { rows, columns, gaps };

StoredMatrix make_stored_matrix(std::size_t rows, std::size_t columns, Layout layout,
                                const char* name, std::size_t batch = 1) {
  StoredMatrix s;
  MatrixView<double>& m = s.view;
  m = {nullptr, rows, columns, columns, 1, batch};
  if (layout == Layout::columns) {
    m.row_stride = 1;
    m.column_stride = std::max<std::size_t>(rows, 1);
  } else if (layout == Layout::gaps) {
    m.column_stride = 3;
    m.row_stride = 3 * columns + 5;
  }
  m.batch_stride = rows * m.row_stride + columns * m.column_stride + 1;
  const numeric::RandomStream random(rows * 1000 + columns, name);
  s.values.resize(batch * m.batch_stride + 1);
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    // Uniform values, with a few of different magnitude, and zeros of both signs.
    const double u = 2 * random.uniform(i) - 1;
    const auto kind = random.below(i, 13);
    s.values[i] = kind == 0 ? u * 0x1p30 : kind == 1 ? u * 0x1p-40 : kind == 2 ? 0 * u : u;
  }
  m.data = s.values.data();
  return s;
}

bool have_same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

struct ProductCase {
  std::size_t m, n, k;
  Layout a = Layout::rows, b = Layout::rows, c = Layout::rows;
  std::size_t batch = 1;
};

// Returns c and the memory between its elements after the product.
std::vector<double> run_product(const ProductCase& x, bool naive, bool add = false) {
  const StoredMatrix a = make_stored_matrix(x.m, x.k, x.a, "a", x.batch);
  const StoredMatrix b = make_stored_matrix(x.k, x.n, x.b, "b", x.batch);
  StoredMatrix c = make_stored_matrix(x.m, x.n, x.c, "c", x.batch);
  if (naive)
    naive_matmul(c.view, a.view, b.view);
  else
    matmul_double(c.view, a.view, b.view,
                  add ? MatrixView<const double>(c.view) : MatrixView<const double>());
  return c.values;
}

std::string describe_product(const ProductCase& x) {
  return std::to_string(x.batch) + " x " + std::to_string(x.m) + "x" + std::to_string(x.n) + "x" +
         std::to_string(x.k) + " layouts " + std::to_string(static_cast<int>(x.a)) +
         std::to_string(static_cast<int>(x.b)) + std::to_string(static_cast<int>(x.c));
}

void expect_naive_bits(const std::vector<ProductCase>& cases) {
  std::vector<std::vector<double>> expected;
  for (const ProductCase& x : cases) expected.push_back(run_product(x, true));
  for_each_instruction_set([&](const std::string& machine) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      ASSERT_TRUE(have_same_bits(run_product(cases[i], false), expected[i]))
          << describe_product(cases[i]) << " on " << machine;
  });
}

TEST(MatmulDouble, FollowsTheDocumentedOrderForAllExtentsUpToNine) {
  std::vector<ProductCase> cases;
  for (std::size_t m = 0; m <= 9; ++m)
    for (std::size_t n = 0; n <= 9; ++n)
      for (std::size_t k = 0; k <= 9; ++k) cases.push_back({m, n, k});
  expect_naive_bits(cases);
}

TEST(MatmulDouble, FollowsTheDocumentedOrderForAllLayouts) {
  std::vector<ProductCase> cases;
  for (const Layout a : {Layout::rows, Layout::columns, Layout::gaps})
    for (const Layout b : {Layout::rows, Layout::columns, Layout::gaps})
      for (const Layout c : {Layout::rows, Layout::columns, Layout::gaps})
        for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                      {7, 5, 3},
                                      {1, 30, 20},
                                      {30, 1, 20},
                                      {13, 26, 17},
                                      {33, 29, 300},
                                      {101, 37, 31}})
          cases.push_back({m, n, k, a, b, c});
  expect_naive_bits(cases);
}

TEST(MatmulDouble, FollowsTheDocumentedOrderForDepthsOfSeveralBlocks) {
  std::vector<ProductCase> cases;
  for (const std::size_t k : {1u, 2u, 3u, 4u, 5u, 31u, 255u, 256u, 257u, 511u, 512u, 513u, 769u})
    for (const Layout a : {Layout::rows, Layout::columns})
      for (const Layout b : {Layout::rows, Layout::columns}) cases.push_back({19, 27, k, a, b});
  expect_naive_bits(cases);
}

TEST(MatmulDouble, FollowsTheDocumentedOrderForTallWideAndDeepMatrices) {
  expect_naive_bits({{613, 3, 5},
                     {3, 613, 5},
                     {3, 5, 6130},
                     {1, 1, 20000},
                     {257, 129, 65},
                     {127, 61, 333},
                     {64, 64, 2048, Layout::columns},
                     {48, 24, 4100, Layout::columns, Layout::columns},
                     {97, 258, 40},
                     {5, 2100, 9},
                     {5, 4500, 3, Layout::rows, Layout::columns}});
}

// If a has few rows and the columns of b are contiguous, matmul does not pack b.
TEST(MatmulDouble, FollowsTheDocumentedOrderForFewRowsAndContiguousColumns) {
  std::vector<ProductCase> cases;
  for (const std::size_t m : {1u, 2u, 3u, 4u, 5u})
    for (const std::size_t n : {2u, 7u, 8u, 9u, 33u})
      for (const std::size_t k : {1u, 7u, 8u, 9u, 256u, 261u, 520u})
        for (const Layout a : {Layout::rows, Layout::gaps})
          cases.push_back({m, n, k, a, Layout::columns, a});
  cases.push_back({1, 4099, 70, Layout::rows, Layout::columns});
  cases.push_back({4, 1003, 300, Layout::columns, Layout::columns, Layout::gaps});
  expect_naive_bits(cases);
}

// These matrices have more rows, columns or depth than one panel.
TEST(MatmulDouble, FollowsTheDocumentedOrderBeyondThePanelSize) {
  const std::vector<ProductCase> cases = {{2100, 260, 261}, {40, 2050, 600, Layout::columns}};
  for (const ProductCase& x : cases) {
    const auto expected = run_product(x, true);
    numeric::select_instruction_set(numeric::instruction_sets().back());
    for (const int threads : {1, 3}) {
      numeric::set_num_threads(threads);
      EXPECT_TRUE(have_same_bits(run_product(x, false), expected))
          << describe_product(x) << " on " << threads;
    }
    numeric::set_num_threads(1);
  }
}

TEST(MatmulDouble, FollowsTheDocumentedOrderForBatches) {
  std::vector<ProductCase> cases;
  for (const std::size_t batch : {0u, 2u, 3u, 16u})
    for (const Layout layout : {Layout::rows, Layout::columns, Layout::gaps}) {
      cases.push_back({13, 16, 64, layout, Layout::rows, Layout::rows, batch});
      cases.push_back({64, 64, 16, Layout::rows, layout, Layout::rows, batch});
      cases.push_back({6, 9, 0, layout, layout, layout, batch});
    }
  expect_naive_bits(cases);
}

TEST(MatmulDouble, AddsToTheOldValues) {
  std::vector<ProductCase> cases;
  for (const std::size_t k : {0u, 1u, 255u, 256u, 257u, 600u}) {
    cases.push_back({14, 19, k, Layout::rows, Layout::rows, Layout::gaps});
    cases.push_back({3, 19, k, Layout::rows, Layout::columns, Layout::gaps});
  }
  for (const ProductCase& x : cases) {
    const std::size_t k = x.k;
    const StoredMatrix a = make_stored_matrix(x.m, x.k, x.a, "a");
    const StoredMatrix b = make_stored_matrix(x.k, x.n, x.b, "b");
    StoredMatrix c = make_stored_matrix(x.m, x.n, x.c, "c");
    for (std::size_t i = 0; i < x.m; ++i)
      for (std::size_t j = 0; j < x.n; ++j)
        for (std::size_t begin = 0; begin < k; begin += 256) {
          MatrixView<const double> a_block = a.view;
          MatrixView<const double> b_block = b.view;
          a_block.columns = b_block.rows = std::min<std::size_t>(256, k - begin);
          a_block.data += begin * a_block.column_stride;
          b_block.data += begin * b_block.row_stride;
          c.view.data[i * c.view.row_stride + j * c.view.column_stride] +=
              naive_element(a_block, b_block, i, j);
        }
    for_each_instruction_set([&](const std::string& machine) {
      EXPECT_TRUE(have_same_bits(run_product(x, false, true), c.values))
          << describe_product(x) << " on " << machine;
    });
  }
}

// An element of the product must not depend on other rows of a or other columns of b.
TEST(MatmulDouble, EachElementHasTheBitsOfItsOwnDotProduct) {
  const StoredMatrix a = make_stored_matrix(53, 300, Layout::rows, "a");
  const StoredMatrix b = make_stored_matrix(300, 41, Layout::rows, "b");
  StoredMatrix whole = make_stored_matrix(53, 41, Layout::rows, "c");
  matmul_double(whole.view, a.view, b.view);
  for (const std::size_t row : {0u, 1u, 5u, 6u, 52u})
    for (const std::size_t column : {0u, 3u, 7u, 8u, 40u}) {
      double part = -1;
      MatrixView<const double> one_row = a.view;
      one_row.rows = 1;
      one_row.data += row * one_row.row_stride;
      MatrixView<const double> one_column = b.view;
      one_column.columns = 1;
      one_column.data += column;
      matmul_double(matrix(&part, 1, 1), one_row, one_column);
      EXPECT_EQ(std::memcmp(&part, &whole.values[row * 41 + column], sizeof part), 0);
    }
}

// Infinities and NaN propagate as in IEEE 754. Padding and zero factors must neither create nor
// hide them.
TEST(MatmulDouble, InfinitiesAndNanPropagate) {
  for_each_instruction_set([](const std::string& machine) {
    StoredMatrix a = make_stored_matrix(7, 9, Layout::rows, "a");
    StoredMatrix b = make_stored_matrix(9, 10, Layout::rows, "b");
    StoredMatrix c = make_stored_matrix(7, 10, Layout::rows, "c");
    std::fill(a.values.begin(), a.values.end(), 1.0);
    std::fill(b.values.begin(), b.values.end(), 2.0);
    a.values[2 * 9 + 3] = __builtin_inf();
    b.values[3 * 10 + 4] = 0;
    matmul_double(c.view, a.view, b.view);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 10; ++j) {
        const double value = c.values[i * 10 + j];
        if (i == 2 && j == 4)
          EXPECT_NE(value, value) << machine;
        else if (i == 2)
          EXPECT_EQ(value, __builtin_inf()) << machine;
        else
          EXPECT_EQ(value, j == 4 ? 16 : 18) << machine;
      }
  });
}

}  // namespace
}  // namespace normproof::ref::ops
