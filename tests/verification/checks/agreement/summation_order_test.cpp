#include "verification/checks/agreement/summation_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::agreement {
namespace {

double sum_left_to_right(const std::vector<double>& terms) {
  double sum = 0;
  for (const double t : terms) sum += t;
  return sum;
}
double sum_pairwise(const double* terms, std::size_t count) {
  if (count == 1) return terms[0];
  return sum_pairwise(terms, count / 2) + sum_pairwise(terms + count / 2, count - count / 2);
}

TEST(SummationOrder, RevealsSumsFromLeftToRightAndFromRightToLeft) {
  EXPECT_EQ(to_string(reveal_order(sum_left_to_right, 5)), "[0..4]");
  EXPECT_EQ(to_string(reveal_order(
                [](std::vector<double> t) {
                  return sum_left_to_right({t.rbegin(), t.rend()});
                },
                4)),
            "[0 [1 [2 3]]]");
  EXPECT_EQ(to_string(reveal_order(sum_left_to_right, 1)), "0");
}

TEST(SummationOrder, RevealsPairwiseAndStridedSums) {
  EXPECT_EQ(to_string(reveal_order(
                [](const std::vector<double>& t) { return sum_pairwise(t.data(), t.size()); }, 8)),
            "[0 1 [2 3] [4 5 [6 7]]]");
  EXPECT_EQ(to_string(reveal_order(
                [](const std::vector<double>& t) {
                  double even = 0, odd = 0;
                  for (std::size_t i = 0; i < t.size(); ++i) (i % 2 == 0 ? even : odd) += t[i];
                  return even + odd;
                },
                8)),
            "[0,2..6 [1,3..7]]");
}

// Adds three terms and the previous sum with a single rounding, as matrix units do. If one term is
// huge, all smaller terms are lost, wherever they are.
double sum_three_terms_per_rounding(const std::vector<double>& terms) {
  const auto is_huge = [](double v) { return v > 0x1p100 || v < -0x1p100; };
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); i += 3) {
    std::vector<double> smallest_common_subtree{sum};
    smallest_common_subtree.insert(
        smallest_common_subtree.end(), terms.begin() + static_cast<std::ptrdiff_t>(i),
        terms.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, terms.size())));
    const bool swamped = std::ranges::any_of(smallest_common_subtree, is_huge);
    sum = 0;
    for (const double v : smallest_common_subtree)
      if (!swamped || is_huge(v)) sum += v;
  }
  return sum;
}

TEST(SummationOrder, RevealsSeveralTermsAddedWithOneRounding) {
  EXPECT_EQ(to_string(reveal_order(sum_three_terms_per_rounding, 6)), "{{0..2} 3..5}");
}

TEST(SummationOrder, ContractOrdersHaveTheExpectedTrees) {
  EXPECT_EQ(to_string(order_of_products(600)), "[0..255 [256..511] [512..599]]");
  EXPECT_EQ(to_string(order_of_products(3)), "[0..2]");
  EXPECT_EQ(to_string(order_of_lanes(3)), "[0 2 1]");
  EXPECT_EQ(to_string(order_of_lanes(1)), "0");
  EXPECT_EQ(order_of_lanes(33).children.size(), 2u);
  EXPECT_FALSE(order_of_lanes(40) == order_of_products(40));
}

// Revealing a sum from left to right, or from right to left, takes about two sums per term.
TEST(SummationOrder, IsRevealedByFewSums) {
  std::size_t asked = 0;
  const auto count_and_sum = [&](const std::vector<double>& t) {
    ++asked;
    return sum_left_to_right(t);
  };
  EXPECT_EQ(to_string(reveal_order(count_and_sum, 1000)), "[0..999]");
  EXPECT_LT(asked, 2100u);
  asked = 0;
  const SummationTree backwards = reveal_order(
      [&](std::vector<double> t) {
        std::ranges::reverse(t);
        return count_and_sum(t);
      },
      1000);
  EXPECT_EQ(backwards.children.size(), 2u);
  EXPECT_LT(asked, 2100u);
  asked = 0;
  reveal_order(
      [&](const std::vector<double>& t) {
        ++asked;
        return sum_pairwise(t.data(), t.size());
      },
      1024);
  EXPECT_LT(asked, 11000u);
}

TEST(SummationOrder, RevealingStopsAtTheMaximumNumberOfSums) {
  EXPECT_THROW(reveal_order(sum_left_to_right, 1000, 500), std::runtime_error);
  EXPECT_NO_THROW(reveal_order(sum_left_to_right, 1000, 2100));
}

TEST(RevealOrder, C1_RejectsZeroAndTooManyTerms) {
  const auto refusal = [](std::size_t count) {
    return ref::numeric::contract_message([&] { reveal_order(sum_left_to_right, count); });
  };
  EXPECT_EQ(refusal(0), "reveal_order: count is 0; expected 1 to 2^50 - 1 (C1)");
  EXPECT_EQ(refusal(std::size_t{1} << 50),
            "reveal_order: count is 1125899906842624; expected 1 to 2^50 - 1 (C1)");
}

TEST(SummationOrder, RejectsASumWhoseOrderDependsOnTheValues) {
  EXPECT_THROW(reveal_order([](const std::vector<double>&) { return 0.5; }, 3), std::runtime_error);
  const auto compensated = [](const std::vector<double>& t) {
    double ones = 0;
    for (const double v : t) ones += v == 1 ? 1 : 0;
    return ones + static_cast<double>(t.size());
  };
  EXPECT_THROW(reveal_order(compensated, 4), std::runtime_error);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
