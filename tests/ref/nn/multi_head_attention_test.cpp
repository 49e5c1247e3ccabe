#include "ref/nn/multi_head_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::HasSubstr;

template <class T>
Attention<T> make_attention(const NamedTensors<T>& t) {
  return {{t.at("in.weight"), t.at("in.bias")}, {t.at("out.weight"), t.at("out.bias")}};
}

template <class T>
NamedTensors<T> attention_inputs(std::size_t batch, std::size_t tokens, std::size_t d) {
  NamedTensors<T> inputs;
  inputs.set("x", random_tensor<T>("x", {batch, tokens, d}));
  inputs.set("in.weight", random_tensor<T>("in.weight", {3 * d, d}));
  inputs.set("in.bias", random_tensor<T>("in.bias", {3 * d}));
  inputs.set("out.weight", random_tensor<T>("out.weight", {d, d}));
  inputs.set("out.bias", random_tensor<T>("out.bias", {d}));
  return inputs;
}

void expect_attention_derivative(std::size_t batch, std::size_t tokens, std::size_t d,
                                 const Mask& mask, const AttentionOptions& options) {
  expect_gradients(
      attention_inputs<double>(batch, tokens, d),
      random_tensor<double>("grad_y", {batch, tokens, d}),
      [&](const auto& t) {
        return multi_head_attention(t.at("x"), make_attention(t), mask, options).y;
      },
      [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
        const auto run = multi_head_attention(t.at("x"), make_attention(t), mask, options);
        const auto back = multi_head_attention_backward(grad_y, t.at("x"), make_attention(t), mask,
                                                        run.saved, options);
        NamedTensors<T> gradients;
        gradients.set("x", back.grad_x);
        gradients.set("in.weight", back.parameters.in.weight);
        gradients.set("in.bias", back.parameters.in.bias);
        gradients.set("out.weight", back.parameters.out.weight);
        gradients.set("out.bias", back.parameters.out.bias);
        return gradients;
      },
      "B " + std::to_string(batch) + " T " + std::to_string(tokens) + " D " + std::to_string(d) +
          " H " + std::to_string(options.num_heads));
}

TEST(MultiHeadAttention, BackwardIsTheDerivativeForAllExtentsUpTo3AndAllMasks) {
  for (std::size_t tokens = 1; tokens <= 3; ++tokens)
    for (std::size_t d = 1; d <= 3; ++d)
      for (std::size_t heads = 1; heads <= d; ++heads) {
        if (d % heads != 0) continue;
        expect_attention_derivative(1, tokens, d, {}, {.num_heads = heads});
      }
  for (std::size_t bits = 0; bits < 8; ++bits) {
    const Mask mask{{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}};
    expect_attention_derivative(1, 3, 2, mask, {.num_heads = 2});
  }
  const Mask two{{true, false}, {true, true}};
  expect_attention_derivative(2, 2, 3, two, {.num_heads = 3});
}

TEST(MultiHeadAttention, BackwardIsTheDerivativeWithDropout) {
  expect_attention_derivative(
      2, 3, 2, {}, {.num_heads = 2, .dropout = 0.5, .key = {1, 1, "layers.0.attention.weights"}});
}

TEST(MultiHeadAttention, CausalBackwardIsTheDerivativeForAllExtentsUpTo3AndAllMasks) {
  for (std::size_t tokens = 1; tokens <= 3; ++tokens)
    for (const std::size_t heads : {1, 2})
      expect_attention_derivative(1, tokens, 2, {}, {.num_heads = heads, .causal = true});
  for (std::size_t bits = 0; bits < 8; ++bits) {
    const Mask mask{{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}};
    expect_attention_derivative(1, 3, 2, mask, {.num_heads = 2, .causal = true});
  }
  expect_attention_derivative(2, 2, 3, Mask{{true, false}, {true, true}},
                              {.num_heads = 3, .dropout = 0.5, .key = {1, 1, "a"}, .causal = true});
}

/// Compares multi-head attention with its definition, evaluated at 50 digits with plain loops.
void expect_attention_definition(bool causal) {
  constexpr std::size_t kT = 3, kD = 4, kH = 2, kDk = 2;
  const auto t = attention_inputs<oracle50>(1, kT, kD);
  const auto y_of = [causal](const auto& named) {
    const Mask mask{{true, false, true}};
    return multi_head_attention(named.at("x"), make_attention(named), mask,
                                {.num_heads = kH, .causal = causal})
        .y;
  };
  const auto at = [](const Tensor<oracle50>& m, std::size_t i, std::size_t j, std::size_t width) {
    return m.data()[i * width + j];
  };
  oracle50 qkv[kT][3 * kD], context[kT][kD];
  for (std::size_t i = 0; i < kT; ++i)
    for (std::size_t o = 0; o < 3 * kD; ++o) {
      qkv[i][o] = t.at("in.bias").data()[o];
      for (std::size_t d = 0; d < kD; ++d)
        qkv[i][o] += at(t.at("x"), i, d, kD) * at(t.at("in.weight"), o, d, kD);
    }
  for (std::size_t h = 0; h < kH; ++h)
    for (std::size_t i = 0; i < kT; ++i) {
      oracle50 weight[kT], sum = 0;
      for (std::size_t j = 0; j < kT; ++j) {
        oracle50 score = 0;
        for (std::size_t c = 0; c < kDk; ++c)
          score += qkv[i][h * kDk + c] * qkv[j][kD + h * kDk + c];
        weight[j] = j == 1 || (causal && j > i)
                        ? oracle50(0)
                        : oracle50(exp(oracle50(score / sqrt(oracle50(kDk)))));
        sum += weight[j];
      }
      for (std::size_t c = 0; c < kDk; ++c) {
        context[i][h * kDk + c] = 0;
        for (std::size_t j = 0; j < kT; ++j)
          context[i][h * kDk + c] += weight[j] / sum * qkv[j][2 * kD + h * kDk + c];
      }
    }
  Tensor<oracle100> expected = tensor::empty_tensor<oracle100>({1, kT, kD});
  for (std::size_t i = 0; i < kT; ++i)
    for (std::size_t o = 0; o < kD; ++o) {
      oracle50 exact = t.at("out.bias").data()[o];
      for (std::size_t d = 0; d < kD; ++d)
        exact += context[i][d] * at(t.at("out.weight"), o, d, kD);
      expected.data()[i * kD + o] = oracle100(exact);
    }
  EXPECT_WITHIN(verification::checks::compare::compare(
      tensor::convert<oracle100>(y_of(t)), expected,
      verification::checks::compare::scaled_bound<oracle50>(
          y_of(attention_inputs<running_error>(1, kT, kD)))));
}

TEST(MultiHeadAttention, MatchesTheDefinition) {
  expect_attention_definition(false);
}
TEST(MultiHeadAttention, MatchesTheDefinitionOfCausalAttention) {
  expect_attention_definition(true);
}

// With 37 tokens all heads are computed together. With 190 tokens the heads are computed one by
// one. With 300 tokens a summation chain of rule R1 has two blocks.
TEST(MultiHeadAttention, CausalAttentionOfAPrefixHasTheBitsOfTheWholeSentence) {
  for (const std::size_t tokens : {std::size_t{37}, std::size_t{190}, std::size_t{300}}) {
    constexpr std::size_t kD = 8;
    const auto t = attention_inputs<double>(2, tokens, kD);
    const AttentionOptions options{.num_heads = 2, .causal = true};
    const auto whole = multi_head_attention(t.at("x"), make_attention(t), {}, options).y;
    numeric::set_num_threads(3);
    EXPECT_EQ(multi_head_attention(t.at("x"), make_attention(t), {}, options).y, whole);
    numeric::set_num_threads(1);
    for (const std::size_t length : {std::size_t{1}, std::size_t{2}, tokens / 2, tokens - 1}) {
      Tensor<double> start = tensor::empty_tensor<double>({1, length, kD});
      std::copy_n(t.at("x").data() + tokens * kD, start.size(), start.data());
      const auto y = multi_head_attention(start, make_attention(t), {}, options).y;
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y.data()[i], whole.data()[tokens * kD + i]) << tokens << " " << length;
    }
  }
}

TEST(MultiHeadAttention, BitsDoNotDependOnThreadCountBatchOrPadding) {
  constexpr std::size_t kB = 4, kT = 37, kD = 24;
  const auto t = attention_inputs<double>(kB, kT, kD);
  Mask mask = tensor::full_tensor<bool>({kB, kT}, true);
  for (std::size_t i = 30; i < kT; ++i) mask.data()[kT + i] = false;  // sentence 1 has 30 tokens
  const AttentionOptions options{.num_heads = 3};
  const auto whole = multi_head_attention(t.at("x"), make_attention(t), mask, options).y;
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(multi_head_attention(t.at("x"), make_attention(t), mask, options).y, whole);
  }
  numeric::set_num_threads(1);
  Tensor<double> alone = tensor::empty_tensor<double>({1, 30, kD});
  std::copy_n(t.at("x").data() + kT * kD, alone.size(), alone.data());
  const auto y = multi_head_attention(alone, make_attention(t), {}, options).y;
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data()[i], whole.data()[kT * kD + i]);
}

// With 120 tokens both heads are computed together. With 190 tokens the heads are computed one by
// one.
TEST(MultiHeadAttention, BitsDoNotDependOnHowManyHeadsAreComputedTogether) {
  constexpr std::size_t kT = 190, kShort = 120, kD = 4;
  const auto t = attention_inputs<double>(2, kT, kD);
  Mask mask = tensor::full_tensor<bool>({2, kT}, true);
  for (std::size_t i = kShort; i < kT; ++i) mask.data()[kT + i] = false;
  const AttentionOptions options{.num_heads = 2};
  const auto grad_y = random_tensor<double>("grad_y", {2, kT, kD});
  const auto long_run = multi_head_attention(t.at("x"), make_attention(t), mask, options);
  const auto cut = [](const Tensor<double>& whole) {
    Tensor<double> part = tensor::empty_tensor<double>({1, kShort, kD});
    std::copy_n(whole.data() + kT * kD, part.size(), part.data());
    return part;
  };
  // The gradient of the padding is set to 0. Then the sentence has the same gradients alone and in
  // the batch.
  auto grad_alone = grad_y;
  for (std::size_t i = (kT + kShort) * kD; i < grad_alone.size(); ++i) grad_alone.data()[i] = 0;
  const auto batch_back = multi_head_attention_backward(grad_alone, t.at("x"), make_attention(t),
                                                        mask, long_run.saved, options);
  const auto alone = multi_head_attention(cut(t.at("x")), make_attention(t), {}, options);
  const auto alone_back = multi_head_attention_backward(
      cut(grad_y), cut(t.at("x")), make_attention(t), {}, alone.saved, options);
  EXPECT_EQ(alone.y, cut(long_run.y));
  EXPECT_EQ(alone_back.grad_x, cut(batch_back.grad_x));
}

TEST(MultiHeadAttention, BackwardWithRecomputedWeightsHasTheSameBits) {
  for (const std::size_t tokens : {7u, 190u}) {
    const auto t = attention_inputs<double>(5, tokens, 8);
    const auto grad_y = random_tensor<double>("grad_y", {5, tokens, 8});
    Mask mask = tensor::full_tensor<bool>({5, tokens}, true);
    for (const std::size_t pad : {6u, 12u, 13u, 34u}) mask.data()[pad] = false;
    for (const double rate : {0.0, 0.3}) {
      AttentionOptions options{.num_heads = 2,
                               .dropout = rate,
                               .key = {1, 1, "layers.0.attention.weights"},
                               .causal = rate > 0};
      const auto kept = multi_head_attention(t.at("x"), make_attention(t), mask, options);
      const auto expected = multi_head_attention_backward(grad_y, t.at("x"), make_attention(t),
                                                          mask, kept.saved, options);
      options.keep_weights = false;
      const auto run = multi_head_attention(t.at("x"), make_attention(t), mask, options);
      EXPECT_FALSE(tensor::is_given(run.saved.weights));
      EXPECT_EQ(run.y, kept.y);
      const auto back = multi_head_attention_backward(grad_y, t.at("x"), make_attention(t), mask,
                                                      run.saved, options);
      EXPECT_EQ(back.grad_x, expected.grad_x);
      EXPECT_EQ(back.parameters.in.weight, expected.parameters.in.weight);
      EXPECT_EQ(back.parameters.in.bias, expected.parameters.in.bias);
      EXPECT_EQ(back.parameters.out.weight, expected.parameters.out.weight);
      if (rate > 0) {
        EXPECT_EQ(kept.saved.keep, dropout_mask({5, 2, tokens, tokens}, rate, options.key));
      }
    }
  }
}

TEST(MultiHeadAttention, ErrorNamesTheSentenceOfNonFiniteScores) {
  auto t = attention_inputs<double>(3, 4, 4);
  for (std::size_t d = 0; d < 4; ++d) t.at("x").data()[(2 * 4 + 1) * 4 + d] = 1e200;
  EXPECT_THAT(
      numeric::error_message<numeric::NotFiniteError>(
          [&] { multi_head_attention(t.at("x"), make_attention(t), {}, {.num_heads = 2}); }),
      HasSubstr("attention in sentence 2, heads 0 to 1: softmax: x has the element [0, 1, 1]"));
}

std::string rejection_message(const Tensor<double>& x, const Mask& mask = {},
                              std::size_t heads = 2) {
  const auto t = attention_inputs<double>(1, 2, 4);
  return numeric::contract_message(
      [&] { multi_head_attention(x, make_attention(t), mask, {.num_heads = heads}); });
}

TEST(MultiHeadAttention, C1_RejectsXWithWrongAxesOrZeroExtents) {
  EXPECT_THAT(rejection_message({{1, 2, 3, 4}}), HasSubstr("[B,T,D] (C1)"));
  EXPECT_THAT(rejection_message(tensor::empty_tensor<double>({0, 2, 4})), HasSubstr("(C1)"));
}

TEST(MultiHeadAttention, C2_RejectsHeadsThatDoNotDivideD) {
  EXPECT_THAT(rejection_message(attention_inputs<double>(1, 2, 4).at("x"), {}, 3),
              HasSubstr("num_heads is 3; expected a divisor of D, 4 (C2)"));
}

TEST(MultiHeadAttention, C3_RejectsParametersOfWrongShape) {
  EXPECT_THAT(rejection_message(random_tensor<double>("x", {1, 2, 6})), HasSubstr("in.weight"));
}

TEST(MultiHeadAttention, C4_RejectsMaskOfWrongShape) {
  EXPECT_THAT(rejection_message(attention_inputs<double>(1, 2, 4).at("x"),
                                Mask{{true, true}, {true, true}}),
              HasSubstr("valid"));
}

TEST(MultiHeadAttention, C6_RejectsGradYOfWrongShape) {
  const auto t = attention_inputs<double>(1, 2, 4);
  const AttentionOptions options{.num_heads = 2};
  const auto saved = multi_head_attention(t.at("x"), make_attention(t), {}, options).saved;
  EXPECT_THAT(numeric::contract_message([&] {
                multi_head_attention_backward(random_tensor<double>("grad_y", {1, 3, 4}), t.at("x"),
                                              make_attention(t), {}, saved, options);
              }),
              HasSubstr("grad_y"));
}

}  // namespace
}  // namespace normproof::ref::nn
