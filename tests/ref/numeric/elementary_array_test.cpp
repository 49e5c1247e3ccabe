#include "ref/numeric/elementary_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "ref/numeric/instruction_set.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "verification/checks/elementary/functions.hpp"
#include "verification/checks/elementary/tables.hpp"

namespace normproof::ref::numeric {
namespace {

using namespace verification::checks::elementary;

// Returns the number of arguments that each function is tested with: 10^5, or 10^7 if
// NORMPROOF_LONG=1, as in verification/checks/elementary/check_rounding.
std::uint64_t sample_size() {
  const char* const is_long = std::getenv("NORMPROOF_LONG");
  return is_long != nullptr && *is_long == '1' ? 10'000'000 : 100'000;
}

class ElementaryFunction : public ::testing::TestWithParam<int> {
 protected:
  const Function& f = functions()[static_cast<std::size_t>(GetParam())];

  void expect_correctly_rounded(double x) const {
    const double y = f.of(x), expected = nearest(f, x);
    EXPECT_TRUE(is_same_value(y, expected))
        << f.name << "(" << std::hexfloat << x << ") = " << y << ", expected " << expected;
  }
};

TEST_P(ElementaryFunction, IsCorrectlyRoundedAtRandomArguments) {
  for (std::uint64_t i = 0; i < sample_size() && !HasFailure(); ++i)
    expect_correctly_rounded(argument(f, 20260101, i));
}

TEST_P(ElementaryFunction, IsCorrectlyRoundedAtEdgeCases) {
  for (const double edge : f.edges) {
    for (int sign = 0; sign < 2; ++sign) {
      const auto bits = std::bit_cast<std::uint64_t>(sign == 0 ? edge : -edge);
      for (std::uint64_t i = 0; i <= 64; ++i)
        expect_correctly_rounded(std::bit_cast<double>(bits + i - 32));
    }
  }
}

// Tests arguments at the ends of table rows and at powers of two, for which the reduction of the
// argument is least likely to be exact.
TEST_P(ElementaryFunction, IsCorrectlyRoundedAtTheEndsOfTableRows) {
  std::vector<double> ends;
  for (int row = 0; row < 256; ++row) ends.push_back(log_bin(row).first);
  for (int row = 0; row < 552; ++row)
    ends.push_back((taylor_center(row) + taylor_center(row + 1)) / 2);
  for (int k = -60; k < 60; ++k) ends.push_back((k + 0.5) * 0x1.62e42fefa39efp-9);
  for (int e = -70; e < 10; ++e) ends.push_back(std::ldexp(1, e));
  for (const double end : ends) {
    const auto bits = std::bit_cast<std::uint64_t>(end);
    for (std::uint64_t i = 0; i <= 48 && !HasFailure(); ++i)
      expect_correctly_rounded(std::bit_cast<double>(bits + i - 24));
  }
  for (const double end : ends) {
    for (int e = 0; e < 40 && !HasFailure(); ++e)
      expect_correctly_rounded(end * (1 - std::ldexp(1, e - 52)));
  }
}

// CORE-MATH published these arguments for erf, log and tanh, one per line of a file.
TEST_P(ElementaryFunction, IsCorrectlyRoundedAtPublishedHardCases) {
  using tests::ref::data::find_shared_data_folder;
  const auto path = find_shared_data_folder() / "hard_cases" / (f.name + ".txt");
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << path << " is not there";
  std::size_t count = 0;
  for (std::string line; std::getline(file, line) && !HasFailure(); ++count) {
    const std::string text = line[0] == '+' ? line.substr(1) : line;
    char* end = nullptr;
    const double x =
        text.find("snan") != std::string::npos ? kNaN : std::strtod(text.c_str(), &end);
    ASSERT_NE(end, text.c_str()) << "line " << count + 1 << " of " << path << ": " << line;
    expect_correctly_rounded(x);
  }
  EXPECT_GT(count, 10000u);
}

TEST_P(ElementaryFunction, IsMonotonic) {
  std::vector<double> x;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const double t = argument(f, 3, i);
    if (t == t && !(f.of(t) != f.of(t))) x.push_back(t);
  }
  std::sort(x.begin(), x.end());
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_LE(f.of(x[i - 1]), f.of(x[i]));
}

TEST_P(ElementaryFunction, IsOddIfTheExactFunctionIs) {
  const bool odd = f.name == "tanh" || f.name == "erf";
  int differ = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const double x = argument(f, 4, i);
    differ += !is_same_value(f.of(-x), -f.of(x));
  }
  EXPECT_EQ(differ == 0, odd) << differ;
}

TEST_P(ElementaryFunction, IsTheSameForScalarsAndArraysOnEveryInstructionSet) {
  for (const std::string& set : instruction_sets()) {
    select_instruction_set(set);
    for (std::size_t count = 0; count <= 67; ++count) {
      std::vector<double> x(count + 2, 7), y(count + 2, 5);
      for (std::size_t i = 0; i < count; ++i) x[i + 1] = argument(f, 100 + count, i);
      f.apply_each(x.data() + 1, count, y.data() + 1);
      EXPECT_EQ(y.front(), 5) << "written before the array";
      EXPECT_EQ(y.back(), 5) << "written past the array";
      for (std::size_t i = 1; i <= count; ++i) {
        const double expected = nearest(f, x[i]);
        EXPECT_TRUE(is_same_value(y[i], expected))
            << set << std::hexfloat << " " << f.name << " " << x[i];
        EXPECT_TRUE(is_same_value(f.of(x[i]), expected)) << set << std::hexfloat << " " << x[i];
      }
      f.apply_each(x.data() + 1, count, x.data() + 1);
      for (std::size_t i = 1; i <= count; ++i) EXPECT_TRUE(is_same_value(x[i], y[i])) << "in place";
      EXPECT_EQ(x.back(), 7);
    }
  }
  EXPECT_EQ(static_cast<std::size_t>(instruction_set()), instruction_sets().size() - 1);
}

TEST(ExpOfDifference, EqualsExpOfTheRoundedDifferenceOnEveryInstructionSet) {
  const double m = 0.1;
  for (const std::string& set : instruction_sets()) {
    select_instruction_set(set);
    for (std::size_t count = 0; count <= 67; ++count) {
      std::vector<double> x(count + 1, 7), y(count + 1, 5);
      for (std::size_t i = 0; i < count; ++i) x[i] = 0.3 * static_cast<double>(i) - 9;
      if (count > 2) x[count - 2] = -1e308;
      exp_of_difference(x.data(), m, count, y.data());
      EXPECT_EQ(y.back(), 5) << "written past the array";
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(y[i], exp(x[i] - m)) << set << " " << x[i];
      exp_of_difference(x.data(), m, count, x.data());
      x.back() = 5;
      EXPECT_EQ(x, y) << "in place";
    }
  }
}

// The largest error must be within the proved bound, and at least 1/32 of it. If no error came
// close to the bound, the measurement could be wrong.
TEST_P(ElementaryFunction, ErrorOfTheFastPhaseIsWithinItsBound) {
  if (f.kernel == nullptr) GTEST_SKIP() << f.name << " has one phase";
  double largest = 0;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const double x = argument(f, 5, i);
    if (is_in_fast_domain(f, x)) largest = std::max(largest, fast_error(f, x));
  }
  EXPECT_LE(largest, f.fast_error) << f.name;
  EXPECT_GE(largest, f.fast_error / 32) << f.name;
}

INSTANTIATE_TEST_SUITE_P(ElementaryFunctions, ElementaryFunction, ::testing::Range(0, 5),
                         [](const auto& which) {
                           return functions()[static_cast<std::size_t>(which.param)].name;
                         });

TEST(ElementaryFunctions, SpecialValuesFollowIeee754) {
  EXPECT_TRUE(is_same_value(exp(-kInfinity), 0.0));
  EXPECT_EQ(exp(kInfinity), kInfinity);
  EXPECT_EQ(log(kInfinity), kInfinity);
  EXPECT_EQ(log(0.0), -kInfinity);
  EXPECT_EQ(log(-0.0), -kInfinity);
  EXPECT_TRUE(is_same_value(log(1.0), 0.0));
  for (const double x : {-1.0, -kInfinity, kNaN}) EXPECT_NE(log(x), log(x));
  using OfOne = double (*)(double);
  for (const OfOne of : {OfOne{tanh}, OfOne{erf}}) {
    EXPECT_TRUE(is_same_value(of(-0.0), -0.0));
    EXPECT_TRUE(is_same_value(of(0.0), 0.0));
    EXPECT_EQ(of(kInfinity), 1);
    EXPECT_EQ(of(-kInfinity), -1);
  }
  EXPECT_NE(exp(kNaN), exp(kNaN));
  EXPECT_NE(tanh(kNaN), tanh(kNaN));
  EXPECT_NE(erf(kNaN), erf(kNaN));
}

}  // namespace
}  // namespace normproof::ref::numeric
