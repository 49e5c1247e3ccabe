#include "ref/nn/cross_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMaps[] = {"query", "memory", "out"};

template <class T>
CrossAttention<T> make_cross_attention(const NamedTensors<T>& t) {
  const auto map = [&](const std::string& name) {
    return Linear<T>{t.at(name + ".weight"), t.at(name + ".bias")};
  };
  return {map("query"), map("memory"), map("out")};
}

/// Returns random inputs of cross-attention: x [B,T,D], the encoder output "source" [B,S,D], and
/// the weights and biases of the linear maps.
template <class T>
NamedTensors<T> cross_attention_inputs(std::size_t batch, std::size_t queries, std::size_t keys,
                                       std::size_t d) {
  NamedTensors<T> inputs;
  inputs.set("x", random_tensor<T>("x", {batch, queries, d}));
  inputs.set("source", random_tensor<T>("source", {batch, keys, d}));
  for (const std::string name : kMaps) {
    const std::size_t rows = name == "memory" ? 2 * d : d;
    inputs.set(name + ".weight", random_tensor<T>(name + ".weight", {rows, d}));
    inputs.set(name + ".bias", random_tensor<T>(name + ".bias", {rows}));
  }
  return inputs;
}

template <class T>
NamedTensors<T> cross_attention_gradients(const NamedTensors<T>& t, const Tensor<T>& grad_y,
                                          const Mask& mask, const AttentionOptions& options) {
  const auto run =
      cross_attention(t.at("x"), t.at("source"), make_cross_attention(t), mask, options);
  const auto back = cross_attention_backward(grad_y, t.at("x"), t.at("source"),
                                             make_cross_attention(t), mask, run.saved, options);
  NamedTensors<T> gradients;
  gradients.set("x", back.grad_x);
  gradients.set("source", back.grad_memory);
  gradients.set("query.weight", back.parameters.query.weight);
  gradients.set("query.bias", back.parameters.query.bias);
  gradients.set("memory.weight", back.parameters.memory.weight);
  gradients.set("memory.bias", back.parameters.memory.bias);
  gradients.set("out.weight", back.parameters.out.weight);
  gradients.set("out.bias", back.parameters.out.bias);
  return gradients;
}

void expect_cross_attention_derivative(std::size_t batch, std::size_t queries, std::size_t keys,
                                       std::size_t d, const Mask& mask,
                                       const AttentionOptions& options) {
  expect_gradients(
      cross_attention_inputs<double>(batch, queries, keys, d),
      random_tensor<double>("grad_y", {batch, queries, d}),
      [&](const auto& t) {
        return cross_attention(t.at("x"), t.at("source"), make_cross_attention(t), mask, options).y;
      },
      [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
        return cross_attention_gradients(t, grad_y, mask, options);
      },
      "B " + std::to_string(batch) + " T " + std::to_string(queries) + " S " +
          std::to_string(keys) + " D " + std::to_string(d));
}

TEST(CrossAttention, BackwardIsTheDerivativeForAllExtentsUpTo3AndAllMasks) {
  for (std::size_t queries = 1; queries <= 3; ++queries)
    for (std::size_t keys = 1; keys <= 3; ++keys)
      for (const std::size_t heads : {1, 2})
        expect_cross_attention_derivative(1, queries, keys, 2, {}, {.num_heads = heads});
  for (std::size_t bits = 0; bits < 8; ++bits) {
    const Mask mask{{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}};
    expect_cross_attention_derivative(1, 2, 3, 2, mask, {.num_heads = 2});
  }
  expect_cross_attention_derivative(2, 3, 2, 3, Mask{{true, false}, {true, true}},
                                    {.num_heads = 3});
}

TEST(CrossAttention, BackwardIsTheDerivativeWithDropout) {
  expect_cross_attention_derivative(2, 3, 2, 2, Mask{{true, true}, {true, false}},
                                    {.num_heads = 2, .dropout = 0.5, .key = {1, 1, "a"}});
  const Mask given = {{{{true, false, true}}, {{false, true, true}}}};  // [1,2,1,3]
  expect_cross_attention_derivative(1, 1, 3, 2, {},
                                    {.num_heads = 2, .dropout = 0.25, .key = {0, 0, "a", &given}});
}

/// Returns parameters with which self-attention computes the same as cross-attention with the given
/// parameters.
Attention<double> make_self_attention(const NamedTensors<double>& t) {
  Attention<double> self;
  self.out = make_cross_attention(t).out;
  const std::size_t d = t.at("x").shape(2);
  self.in = {tensor::empty_tensor<double>({3 * d, d}), tensor::empty_tensor<double>({3 * d})};
  const auto copy_rows = [&](const char* name, std::size_t row) {
    const auto& weight = t.at(std::string(name) + ".weight");
    const auto& bias = t.at(std::string(name) + ".bias");
    std::copy_n(weight.data(), weight.size(), self.in.weight.data() + row * d);
    std::copy_n(bias.data(), bias.size(), self.in.bias.data() + row);
  };
  copy_rows("query", 0);
  copy_rows("memory", d);
  return self;
}

// With 5 tokens all heads are computed together. With 190 tokens the heads are computed one by one.
TEST(CrossAttention, MatchesSelfAttentionIfMemoryIsTheInput) {
  for (const std::size_t tokens : {std::size_t{5}, std::size_t{190}}) {
    NamedTensors<double> t = cross_attention_inputs<double>(2, tokens, tokens, 6);
    t.at("source") = t.at("x");
    Mask mask = tensor::full_tensor<bool>({2, tokens}, true);
    mask.data()[tokens + 3] = false;
    for (const double rate : {0.0, 0.5}) {
      const AttentionOptions options{.num_heads = 2, .dropout = rate, .key = {1, 2, "a"}};
      const auto self = multi_head_attention(t.at("x"), make_self_attention(t), mask, options);
      const auto cross =
          cross_attention(t.at("x"), t.at("source"), make_cross_attention(t), mask, options);
      EXPECT_EQ(cross.y, self.y);
      EXPECT_EQ(cross.saved.weights, self.saved.weights);
      const auto grad_y = random_tensor<double>("grad_y", {2, tokens, 6});
      const auto back = cross_attention_gradients(t, grad_y, mask, options);
      const auto expected = multi_head_attention_backward(grad_y, t.at("x"), make_self_attention(t),
                                                          mask, self.saved, options);
      EXPECT_EQ(back.at("out.weight"), expected.parameters.out.weight);
      const auto& in = expected.parameters.in.weight;
      EXPECT_TRUE(std::equal(in.begin(), in.begin() + 36, back.at("query.weight").begin()));
      EXPECT_TRUE(std::equal(in.begin() + 36, in.end(), back.at("memory.weight").begin()));
    }
  }
}

Tensor<double> select_rows(const Tensor<double>& x, std::size_t sample, std::size_t first,
                           std::size_t count) {
  const std::size_t length = x.shape(1), d = x.shape(2);
  Tensor<double> selected = tensor::empty_tensor<double>({1, count, d});
  std::copy_n(x.data() + (sample * length + first) * d, selected.size(), selected.data());
  return selected;
}

TEST(CrossAttention, BitsDoNotDependOnThreadCountBatchOrPadding) {
  constexpr std::size_t kT = 31, kS = 70, kShort = 41, kD = 24;
  auto t = cross_attention_inputs<double>(3, kT, kS, kD);
  const auto parameters = make_cross_attention(t);
  Mask mask = tensor::full_tensor<bool>({3, kS}, true);
  for (std::size_t j = kShort; j < kS; ++j) mask.data()[kS + j] = false;
  const AttentionOptions options{.num_heads = 3};
  const auto whole = cross_attention(t.at("x"), t.at("source"), parameters, mask, options).y;
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(cross_attention(t.at("x"), t.at("source"), parameters, mask, options).y, whole);
  }
  numeric::set_num_threads(1);
  const auto short_memory = select_rows(t.at("source"), 1, 0, kShort);
  EXPECT_EQ(
      cross_attention(select_rows(t.at("x"), 1, 0, kT), short_memory, parameters, {}, options).y,
      select_rows(whole, 1, 0, kT));
  // Single positions attend to keys and values that are computed only once.
  const auto keys_values = keys_and_values(short_memory, parameters);
  for (const std::size_t i : {std::size_t{0}, kT - 1})
    EXPECT_EQ(attend_to_memory(select_rows(t.at("x"), 1, i, 1), keys_values, parameters, {}, 3),
              select_rows(whole, 1, i, 1));
  // The contents of the padding must not affect any result.
  for (std::size_t j = kShort; j < kS; ++j) t.at("source").data()[(kS + j) * kD] = 1e30;
  EXPECT_EQ(cross_attention(t.at("x"), t.at("source"), parameters, mask, options).y, whole);
}

TEST(CrossAttention, BackwardWithRecomputedWeightsHasTheSameBits) {
  const auto t = cross_attention_inputs<double>(2, 5, 7, 4);
  const auto grad_y = random_tensor<double>("grad_y", {2, 5, 4});
  for (const double rate : {0.0, 0.3}) {
    AttentionOptions options{.num_heads = 2, .dropout = rate, .key = {1, 1, "a"}};
    const auto kept = cross_attention_gradients(t, grad_y, {}, options);
    options.keep_weights = false;
    for (const auto& [name, values] : cross_attention_gradients(t, grad_y, {}, options))
      EXPECT_EQ(values, kept.at(name)) << name;
  }
}

// If the encoder output is all padding, no position may attend to it.
TEST(CrossAttention, OutputIsTheBiasIfTheMemoryIsFullyMasked) {
  const auto t = cross_attention_inputs<double>(1, 2, 2, 4);
  const auto y = cross_attention(t.at("x"), t.at("source"), make_cross_attention(t),
                                 Mask{{false, false}}, {.num_heads = 2})
                     .y;
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y.data()[i], t.at("out.bias").data()[i % 4]);
}

template <class Change>
std::string attention_rejection_message(Change change) {
  auto t = cross_attention_inputs<double>(1, 2, 3, 4);
  Mask mask;
  AttentionOptions options{.num_heads = 2};
  change(t, mask, options);
  return numeric::contract_message(
      [&] { cross_attention(t.at("x"), t.at("source"), make_cross_attention(t), mask, options); });
}

TEST(CrossAttention, C1_RejectsXWithWrongAxesOrZeroExtents) {
  EXPECT_THAT(attention_rejection_message([](auto& t, auto&, auto&) {
                t.set("x", {{1, 2, 3, 4}});
              }),
              HasSubstr("x has shape [1, 4]; expected [B,T,D] (C1)"));
  EXPECT_THAT(attention_rejection_message([](auto& t, auto&, auto&) {
                t.set("x", tensor::empty_tensor<double>({1, 0, 4}));
              }),
              HasSubstr("(C1)"));
}
TEST(CrossAttention, C2_RejectsHeadsThatDoNotDivideD) {
  EXPECT_THAT(
      attention_rejection_message([](auto&, auto&, auto& options) { options.num_heads = 3; }),
      HasSubstr("num_heads is 3; expected a divisor of D, 4 (C2)"));
}
TEST(CrossAttention, C3_RejectsParametersOfWrongShape) {
  EXPECT_THAT(attention_rejection_message([](auto& t, auto&, auto&) {
                t.set("memory.weight", random_tensor<double>("w", {4, 4}));
              }),
              HasSubstr("memory.weight has shape [4, 4]; expected shape [8, 4] (C3)"));
}
TEST(CrossAttention, C4_RejectsMaskOfWrongShape) {
  EXPECT_THAT(attention_rejection_message([](auto&, auto& mask, auto&) {
                mask = Mask{{true, true}};
              }),
              HasSubstr("valid has shape [1, 2]; expected shape [1, 3] (C4)"));
}
TEST(CrossAttention, C6_RejectsGradYOfWrongShape) {
  const auto t = cross_attention_inputs<double>(1, 2, 3, 4);
  EXPECT_THAT(numeric::contract_message([&] {
                cross_attention_gradients(t, random_tensor<double>("grad_y", {1, 3, 4}), {},
                                          {.num_heads = 2});
              }),
              HasSubstr("grad_y has shape [1, 3, 4]; expected shape [1, 2, 4] (C6)"));
}
TEST(CrossAttention, C8_RejectsMemoryThatDoesNotMatchX) {
  const auto with = [](const Shape& shape) {
    return attention_rejection_message(
        [&](auto& t, auto&, auto&) { t.set("source", random_tensor<double>("s", shape)); });
  };
  EXPECT_THAT(with({2, 3, 4}),
              HasSubstr("memory has shape [2, 3, 4]; expected [1,S,4], S >= 1 (C8)"));
  EXPECT_THAT(with({1, 3, 2}), HasSubstr("(C8)"));
  EXPECT_THAT(with({1, 0, 4}), HasSubstr("(C8)"));
}
TEST(CrossAttention, C9_RejectsCausalAttention) {
  EXPECT_THAT(
      attention_rejection_message([](auto&, auto&, auto& options) { options.causal = true; }),
      HasSubstr("causal is true"));
}
TEST(CrossAttention, C10_RejectsKeysAndValuesOfWrongShape) {
  const auto t = cross_attention_inputs<double>(1, 2, 3, 4);
  EXPECT_THAT(numeric::contract_message([&] {
                attend_to_memory(t.at("x"), t.at("source"), make_cross_attention(t), {}, 2);
              }),
              HasSubstr("keys_values has shape [1, 3, 4]; expected [1,S,8], S >= 1 (C10)"));
}

}  // namespace
}  // namespace normproof::ref::nn
