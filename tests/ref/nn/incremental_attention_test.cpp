#include "ref/nn/incremental_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::HasSubstr;

Attention<double> random_attention(std::size_t d) {
  return {
      {random_tensor<double>("in.weight", {3 * d, d}), random_tensor<double>("in.bias", {3 * d})},
      {random_tensor<double>("out.weight", {d, d}), random_tensor<double>("out.bias", {d})}};
}

Tensor<double> select_row(const Tensor<double>& x, std::size_t row) {
  const std::size_t d = x.shape().back();
  Tensor<double> selected = tensor::empty_tensor<double>({1, 1, d});
  std::copy_n(x.data() + row * d, d, selected.data());
  return selected;
}

// With 300 positions, a summation chain of rule R1 has two blocks, and full attention computes the
// heads one by one.
TEST(IncrementalAttention, MatchesFullCausalAttentionAtEveryPosition) {
  for (const std::size_t heads : {1, 2, 6}) {
    constexpr std::size_t kT = 300, kD = 6;
    const auto parameters = random_attention(kD);
    const auto x = random_tensor<double>("x", {1, kT, kD});
    const auto whole =
        multi_head_attention(x, parameters, {}, {.num_heads = heads, .causal = true}).y;
    KeyValueCache<double> cache;
    for (std::size_t t = 0; t < kT; ++t)
      ASSERT_EQ(attend_to_one_more(select_row(x, t), parameters, heads, cache),
                select_row(whole, t))
          << t << " of " << heads << " heads";
    EXPECT_EQ(cache.keys.size(), kT * kD);
  }
}

template <class Change>
std::string rejection_message(Change change) {
  auto parameters = random_attention(4);
  Tensor<double> x = random_tensor<double>("x", {1, 1, 4});
  KeyValueCache<double> cache;
  std::size_t heads = 2;
  change(x, parameters, heads, cache);
  return numeric::contract_message([&] { attend_to_one_more(x, parameters, heads, cache); });
}

TEST(IncrementalAttention, C1_RejectsMoreThanOnePosition) {
  EXPECT_THAT(rejection_message([](auto& x, auto&, auto&, auto&) {
                x = random_tensor<double>("x", {1, 2, 4});
              }),
              HasSubstr("x has shape [1, 2, 4]; expected [1,1,D] (C1)"));
}
TEST(IncrementalAttention, C2_RejectsHeadsThatDoNotDivideD) {
  EXPECT_THAT(rejection_message([](auto&, auto&, auto& heads, auto&) { heads = 3; }),
              HasSubstr("a divisor of D, 4 (C2)"));
}
TEST(IncrementalAttention, C3_RejectsParametersOfWrongShape) {
  EXPECT_THAT(rejection_message([](auto&, auto& p, auto&, auto&) { p = random_attention(2); }),
              HasSubstr("in.weight has shape [6, 2]"));
}
TEST(IncrementalAttention, C8_RejectsACacheWithUnequalKeysAndValues) {
  EXPECT_THAT(rejection_message([](auto&, auto&, auto&, auto& cache) { cache.keys.assign(4, 0); }),
              HasSubstr("cache has 4 numbers of keys and 0 of values; expected as many of both"));
}

}  // namespace
}  // namespace normproof::ref::nn
