#include "ref/nn/scaled_dot_product_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "ref/nn/multi_head_attention.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using numeric::contract_message;
using ::testing::Each;
using ::testing::HasSubstr;

/// The extents of a test case: q has shape [samples, heads, tokens, features], k has shape
/// [samples, kv_heads, keys, features] and v has shape [samples, kv_heads, keys, values].
struct DotProductExtents {
  std::size_t samples = 1, heads = 1, kv_heads = 1, tokens = 1, keys = 1, features = 1, values = 1;
  double sinks = 0;  ///< if it is not 0, there are sinks: normal numbers times this number
  /// The first two extents of a bias: of samples and of heads. They are 0 if there is no bias.
  std::size_t bias_samples = 0, bias_heads = 0;
};

NamedTensors<double> dot_product_inputs(const DotProductExtents& e, double scale = 1) {
  NamedTensors<double> inputs;
  inputs.set("q", random_tensor<double>("q", {e.samples, e.heads, e.tokens, e.features}));
  inputs.set("k", random_tensor<double>("k", {e.samples, e.kv_heads, e.keys, e.features}));
  inputs.set("v", random_tensor<double>("v", {e.samples, e.kv_heads, e.keys, e.values}));
  for (double& q : inputs.at("q")) q *= scale;
  if (e.sinks != 0) {
    inputs.set("sinks", random_tensor<double>("sinks", {e.heads}));
    for (double& sink : inputs.at("sinks")) sink *= e.sinks;
  }
  if (e.bias_samples > 0)
    inputs.set("bias",
               random_tensor<double>("bias", {e.bias_samples, e.bias_heads, e.tokens, e.keys}));
  return inputs;
}
Tensor<double> dot_product_gradient(const DotProductExtents& e) {
  return random_tensor<double>("grad_y", {e.samples, e.heads, e.tokens, e.values});
}

template <class T>
DotProductForward<T> run_dot_product_attention(const NamedTensors<T>& t, const Mask& valid,
                                               const model::AttentionOptions& options) {
  return scaled_dot_product_attention(t.at("q"), t.at("k"), t.at("v"), valid, options,
                                      {.sinks = t.contains("sinks") ? t.at("sinks") : Tensor<T>(),
                                       .bias = t.contains("bias") ? t.at("bias") : Tensor<T>()});
}
template <class T>
NamedTensors<T> run_dot_product_attention_backward(const NamedTensors<T>& t,
                                                   const Tensor<T>& grad_y, const Mask& valid,
                                                   const model::AttentionOptions& options) {
  auto gradients = scaled_dot_product_attention_backward(
      grad_y, t.at("k"), t.at("v"), valid, run_dot_product_attention(t, valid, options).saved,
      options);
  NamedTensors<T> named;
  named.set("q", std::move(gradients.q));
  named.set("k", std::move(gradients.k));
  named.set("v", std::move(gradients.v));
  if (tensor::is_given(gradients.sinks)) named.set("sinks", std::move(gradients.sinks));
  if (tensor::is_given(gradients.bias)) named.set("bias", std::move(gradients.bias));
  return named;
}

Mask mask_from_bits(std::size_t bits, const tensor::Shape& shape) {
  Mask mask = tensor::empty_tensor<bool>(shape);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = (bits >> i & 1) != 0;
  return mask;
}

void expect_dot_product_derivative(const DotProductExtents& e, const Mask& valid,
                                   const model::AttentionOptions& options,
                                   const std::string& what) {
  expect_gradients(
      dot_product_inputs(e), dot_product_gradient(e),
      [&](const auto& t) { return run_dot_product_attention(t, valid, options).y; },
      [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
        return run_dot_product_attention_backward(t, grad_y, valid, options);
      },
      what);
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeForAllExtentsUpTo3) {
  for (std::size_t tokens = 1; tokens <= 3; ++tokens)
    for (std::size_t keys = 1; keys <= 3; ++keys)
      for (const bool causal : {false, true})
        expect_dot_product_derivative({1, 1, 1, tokens, keys, 2, 3}, {}, {.causal = causal},
                                      "T " + std::to_string(tokens) + " S " + std::to_string(keys) +
                                          (causal ? " causal" : ""));
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeForAllWindows) {
  for (const auto corner : {model::MaskCorner::bottom_right, model::MaskCorner::top_left})
    for (std::size_t left = 0; left < 3; ++left)
      for (std::size_t right = 0; right < 3; ++right)
        expect_dot_product_derivative(
            {1, 1, 1, 3, 4, 1, 2}, {},
            {.mask_corner = corner, .window_left = left, .window_right = right},
            "window of " + std::to_string(left) + " and " + std::to_string(right));
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeForCapsBelowAndAboveTheScores) {
  for (const double cap : {0.05, 0.5, 2.0, 50.0})
    for (const bool causal : {false, true})
      expect_dot_product_derivative({2, 4, 2, 2, 3, 2, 2}, mask_from_bits(0b101111, {2, 3}),
                                    {.causal = causal, .soft_cap = cap},
                                    "cap " + std::to_string(cap) + (causal ? " causal" : ""));
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeWithSinks) {
  for (const std::size_t kv_heads : {1, 2, 4})
    for (const bool causal : {false, true})
      for (const std::optional<double> cap : {std::optional<double>(), std::optional(0.5)})
        expect_dot_product_derivative({2, 4, kv_heads, 3, 2, 2, 2, 1},
                                      mask_from_bits(0b0111, {2, 2}),
                                      {.causal = causal, .soft_cap = cap},
                                      "sinks, G " + std::to_string(kv_heads) +
                                          (causal ? " causal" : "") + (cap ? " cap" : ""));
  for (std::size_t bits = 0; bits < 8; ++bits)
    expect_dot_product_derivative({1, 2, 1, 2, 3, 1, 1, 3}, mask_from_bits(bits, {1, 3}),
                                  {.window_left = 1}, "sinks, mask " + std::to_string(bits));
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeWithABiasOfEveryBroadcastShape) {
  for (const std::size_t samples : {1, 2})
    for (const std::size_t heads : {1, 4})
      for (const std::optional<double> cap : {std::optional<double>(), std::optional(0.5)})
        for (const double sinks : {0.0, 1.0})
          expect_dot_product_derivative(
              {2, 4, 2, 2, 3, 1, 2, sinks, samples, heads}, mask_from_bits(0b011111, {2, 3}),
              {.causal = true, .soft_cap = cap},
              "bias of " + std::to_string(samples) + " samples and " + std::to_string(heads) +
                  " heads" + (cap ? ", cap" : "") + (sinks > 0 ? ", sinks" : ""));
}

TEST(ScaledDotProductAttention, BackwardIsTheDerivativeForAllMasksAndGroups) {
  for (std::size_t bits = 0; bits < 8; ++bits)
    expect_dot_product_derivative({1, 2, 1, 2, 3, 1, 1}, mask_from_bits(bits, {1, 3}),
                                  {.causal = bits % 2 == 0}, "mask " + std::to_string(bits));
  for (const std::size_t kv_heads : {1, 2, 4})
    expect_dot_product_derivative({2, 4, kv_heads, 2, 2, 1, 2}, mask_from_bits(0b1101, {2, 2}),
                                  {.scale = 0.75}, "G " + std::to_string(kv_heads));
}

struct ExactAttentionForward {
  Tensor<oracle100> y, log_sum_exp;
};

/// Evaluates the definition of attention query by query at 100 digits. It does not subtract the
/// largest score, because nothing overflows at 100 digits.
ExactAttentionForward evaluate_attention_definition(const NamedTensors<double>& t,
                                                    const DotProductExtents& e, const Mask& valid,
                                                    const model::AttentionOptions& options) {
  ExactAttentionForward defined{
      tensor::full_tensor<oracle100>({e.samples, e.heads, e.tokens, e.values}, 0),
      tensor::full_tensor<oracle100>({e.samples, e.heads, e.tokens}, 0)};
  const oracle100 scale = options.scale
                              ? oracle100(*options.scale)
                              : oracle100(1 / sqrt(oracle100(static_cast<double>(e.features))));
  for (std::size_t row = 0; row < e.samples * e.heads * e.tokens; ++row) {
    const std::size_t i = row % e.tokens, h = row / e.tokens % e.heads,
                      b = row / e.tokens / e.heads;
    const std::size_t kv_head = b * e.kv_heads + h * e.kv_heads / e.heads;
    oracle100 sum = 0;
    if (t.contains("sinks")) sum = exp(oracle100(t.at("sinks").data()[h]));
    for (std::size_t j = 0; j < e.keys; ++j) {
      if (tensor::is_given(valid) && !valid.data()[b * e.keys + j]) continue;
      // How far the key is behind the position of the query: the last query is at the last key, or
      // the first query at the first.
      const bool top_left = options.mask_corner == model::MaskCorner::top_left;
      const long shift = top_left ? 0 : static_cast<long>(e.keys) - static_cast<long>(e.tokens);
      const long behind = static_cast<long>(j) - static_cast<long>(i) - shift;
      if (options.causal && behind > 0) continue;
      if (options.window_left && -behind > static_cast<long>(*options.window_left)) continue;
      if (options.window_right && behind > static_cast<long>(*options.window_right)) continue;
      oracle100 score = 0;
      for (std::size_t c = 0; c < e.features; ++c)
        score += oracle100(t.at("q").data()[row * e.features + c]) *
                 oracle100(t.at("k").data()[(kv_head * e.keys + j) * e.features + c]);
      score *= scale;
      if (options.soft_cap) {
        const oracle100 cap(*options.soft_cap);
        score = cap * tanh(oracle100(score / cap));
      }
      if (e.bias_samples > 0) {
        const std::size_t first = (b % e.bias_samples * e.bias_heads + h % e.bias_heads) * e.tokens;
        score += oracle100(t.at("bias").data()[(first + i) * e.keys + j]);
      }
      const oracle100 weight = exp(score);
      sum += weight;
      for (std::size_t c = 0; c < e.values; ++c)
        defined.y.data()[row * e.values + c] +=
            weight * oracle100(t.at("v").data()[(kv_head * e.keys + j) * e.values + c]);
    }
    if (sum == 0) continue;
    for (std::size_t c = 0; c < e.values; ++c) defined.y.data()[row * e.values + c] /= sum;
    defined.log_sum_exp.data()[row] =
        options.log_sum_exp_base == model::LogSumExpBase::two ? oracle100(log2(sum)) : log(sum);
  }
  return defined;
}

struct DotProductCase {
  DotProductExtents extents;
  Mask valid;
  model::AttentionOptions options;
  double scale = 1;
};

std::vector<DotProductCase> dot_product_cases() {
  return {{{2, 3, 3, 4, 5, 3, 2}, {}, {}},
          {{1, 6, 2, 3, 4, 5, 5}, {}, {}},
          {{1, 2, 1, 4, 4, 2, 2}, {}, {.causal = true}},
          {{1, 1, 1, 2, 5, 2, 2}, {}, {.causal = true}},
          {{1, 1, 1, 5, 2, 2, 2}, {}, {.causal = true}},
          {{2, 2, 1, 3, 3, 2, 1}, mask_from_bits(0b001110, {2, 3}), {.causal = true}},
          {{2, 2, 2, 3, 3, 2, 1}, mask_from_bits(0b000110, {2, 3}), {.scale = 0.3}},
          {{1, 2, 1, 4, 6, 2, 2}, {}, {.causal = true, .window_left = 1}},
          {{1, 1, 1, 5, 3, 2, 2}, {}, {.causal = true, .mask_corner = model::MaskCorner::top_left}},
          {{1, 1, 1, 5, 3, 2, 2},
           {},
           {.mask_corner = model::MaskCorner::top_left, .window_left = 1, .window_right = 0}},
          {{2, 1, 1, 4, 5, 2, 2},
           mask_from_bits(0b1101111011, {2, 5}),
           {.window_left = 2, .window_right = 1}},
          {{1, 4, 2, 3, 4, 3, 2}, {}, {.causal = true, .soft_cap = 1.5}},
          {{2, 1, 1, 4, 5, 2, 2},
           mask_from_bits(0b1101111011, {2, 5}),
           {.scale = 0.3, .window_left = 2, .soft_cap = 0.25}},
          {{1, 1, 1, 3, 7, 4, 2}, {}, {.soft_cap = 50}},
          {{1, 1, 1, 3, 7, 4, 2}, {}, {.soft_cap = 30}, 300},
          {{2, 4, 2, 3, 4, 3, 2, 0, 2, 4}, {}, {.causal = true}},
          {{3, 2, 1, 3, 4, 3, 2, 0, 1, 2}, {}, {.soft_cap = 0.5}},
          {{3, 2, 1, 3, 4, 3, 2, 1, 3, 1}, {}, {.scale = 0.3}},
          {{3, 2, 1, 3, 4, 3, 2, 0, 1, 1}, {}, {.window_left = 1}, 300},
          {{2, 4, 2, 3, 4, 3, 2, 1}, {}, {.causal = true}},
          {{2, 4, 2, 3, 4, 3, 2}, {}, {.log_sum_exp_base = model::LogSumExpBase::two}},
          {{2, 4, 2, 5, 3, 3, 2, 1},
           {},
           {.causal = true, .log_sum_exp_base = model::LogSumExpBase::two},
           300},
          {{2, 6, 1, 5, 3, 2, 2, 50}, {}, {.causal = true, .soft_cap = 1.5}},
          {{2, 2, 1, 3, 3, 2, 1, 2}, mask_from_bits(0b000110, {2, 3}), {.scale = 0.3}},
          {{1, 2, 2, 3, 40, 2, 1, 1}, {}, {.window_left = 2}, 300},
          {{1, 1, 1, 3, 7, 4, 2}, {}, {}, 300}};
}

void expect_same_values(const Tensor<double>& got, const Tensor<running_error>& with_bound) {
  ASSERT_EQ(got.size(), with_bound.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got.data()[i], with_bound.data()[i].value);
}

TEST(ScaledDotProductAttention, DoubleResultsAreWithinTheDerivedErrorBound) {
  for (const DotProductCase& s : dot_product_cases()) {
    const auto t = dot_product_inputs(s.extents, s.scale);
    const ExactAttentionForward exact =
        evaluate_attention_definition(t, s.extents, s.valid, s.options);
    const auto got = run_dot_product_attention(t, s.valid, s.options);
    const auto bound =
        run_dot_product_attention(convert_all_tensors<running_error>(t), s.valid, s.options);
    expect_same_values(got.y, bound.y);
    EXPECT_WITHIN(verification::checks::compare::compare(bound.y, exact.y));
    if (!tensor::is_given(got.log_sum_exp)) continue;
    expect_same_values(got.log_sum_exp, bound.log_sum_exp);
    EXPECT_WITHIN(verification::checks::compare::compare(bound.log_sum_exp, exact.log_sum_exp));
  }
}

TEST(ScaledDotProductAttention, IntervalAndBallResultsContainTheExactValues) {
  const auto expect = [](const auto& got, const Tensor<oracle100>& exact) {
    ASSERT_EQ(tensor::shape_of(got), tensor::shape_of(exact));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto [lower, upper] = numeric::enclose(got.data()[i]);
      EXPECT_LE(oracle100(lower), exact.data()[i]);
      EXPECT_GE(oracle100(upper), exact.data()[i]);
    }
  };
  for (const DotProductCase& s : dot_product_cases()) {
    const auto t = dot_product_inputs(s.extents, s.scale);
    const Tensor<oracle100> exact =
        evaluate_attention_definition(t, s.extents, s.valid, s.options).y;
    expect(
        run_dot_product_attention(convert_all_tensors<numeric::interval>(t), s.valid, s.options).y,
        exact);
    expect(run_dot_product_attention(convert_all_tensors<numeric::ball>(t), s.valid, s.options).y,
           exact);
  }
}

TEST(ScaledDotProductAttention, QueriesWithoutVisibleKeysGiveZerosAndNoLogSumExp) {
  const DotProductExtents e{2, 1, 1, 2, 2, 1, 1};
  const auto t = dot_product_inputs(e);
  const Mask valid{{true, true}, {false, false}};
  const auto run = run_dot_product_attention(t, valid, {});
  EXPECT_FALSE(tensor::is_given(run.log_sum_exp));
  EXPECT_NE(run.y.data()[0], 0);
  EXPECT_EQ(run.y.data()[2], 0);
  EXPECT_EQ(run.y.data()[3], 0);
  const auto gradients = run_dot_product_attention_backward(t, dot_product_gradient(e), valid, {});
  for (const char* name : {"q", "k", "v"}) {
    EXPECT_EQ(gradients.at(name).data()[2], 0) << name;
    EXPECT_EQ(gradients.at(name).data()[3], 0) << name;
  }
}

TEST(ScaledDotProductAttention, QueriesWithoutVisibleKeysHaveTheirSink) {
  const DotProductExtents e{2, 2, 1, 1, 2, 1, 1, 1};
  const auto t = dot_product_inputs(e);
  const Mask valid{{true, true}, {false, false}};
  const auto run = run_dot_product_attention(t, valid, {});
  const auto gradients = run_dot_product_attention_backward(t, dot_product_gradient(e), valid, {});
  for (std::size_t head = 0; head < 2; ++head) {
    EXPECT_EQ(run.y.data()[2 + head], 0);
    EXPECT_FALSE(std::signbit(run.y.data()[2 + head]));
    EXPECT_EQ(run.saved.sink_weights.data()[2 + head], 1);
    EXPECT_EQ(run.log_sum_exp.data()[2 + head], t.at("sinks").data()[head]);
    EXPECT_EQ(gradients.at("q").data()[2 + head], 0);
  }
  // The second sample adds nothing to the gradients of the sinks.
  NamedTensors<double> first;
  for (const char* name : {"q", "k", "v", "sinks"}) first.set(name, t.at(name));
  for (const char* name : {"q", "k", "v"}) {
    tensor::Shape shape = tensor::shape_of(t.at(name));
    shape[0] = 1;
    Tensor<double> sample = tensor::empty_tensor<double>(shape);
    std::copy_n(t.at(name).data(), sample.size(), sample.data());
    first.set(name, sample);
  }
  Tensor<double> grad_y = tensor::empty_tensor<double>({1, 2, 1, 1});
  std::copy_n(dot_product_gradient(e).data(), 2, grad_y.data());
  EXPECT_EQ(run_dot_product_attention_backward(first, grad_y, {}, {}).at("sinks"),
            gradients.at("sinks"));
}

TEST(ScaledDotProductAttention, SinkEqualsAKeyOfTheSameScoreWhoseValueIsZero) {
  // The last key of every head is (sink, 0), and the queries are (2, 1), scaled by 1/2.
  const DotProductExtents e{1, 2, 2, 1, 3, 2, 2, 1};
  auto t = dot_product_inputs(e);
  t.at("q") = Tensor<double>{{{{2, 1}}, {{2, 1}}}};
  auto longer = dot_product_inputs({1, 2, 2, 1, 4, 2, 2});
  longer.at("q") = t.at("q");
  for (std::size_t head = 0; head < 2; ++head) {
    for (const char* name : {"k", "v"})
      std::copy_n(t.at(name).data() + head * 6, 6, longer.at(name).data() + head * 8);
    longer.at("k").data()[head * 8 + 6] = t.at("sinks").data()[head];
    for (const std::size_t at : {7, 6}) longer.at("v").data()[head * 8 + at] = 0;
    longer.at("k").data()[head * 8 + 7] = 0;
  }
  const auto with_sink = run_dot_product_attention(t, {}, {.scale = 0.5});
  const auto with_key = run_dot_product_attention(longer, {}, {.scale = 0.5});
  EXPECT_EQ(with_sink.y, with_key.y);
  EXPECT_EQ(with_sink.log_sum_exp, with_key.log_sum_exp);
}

TEST(ScaledDotProductAttention, BiasHidesKeysExactlyAsAMask) {
  const DotProductExtents e{2, 2, 1, 3, 4, 2, 2, 0, 2, 1};
  const auto t = dot_product_inputs(e);
  auto unbiased = t;
  unbiased.at("bias").fill(0);
  const Mask valid{{true, false, true, true}, {true, true, true, false}};
  Mask visible = tensor::empty_tensor<bool>({2, 1, 3, 4});
  for (std::size_t i = 0; i < visible.size(); ++i)
    visible.data()[i] = valid.data()[i / 12 * 4 + i % 4];
  const auto by_bias =
      scaled_dot_product_attention(t.at("q"), t.at("k"), t.at("v"), {}, {},
                                   {.sinks = {}, .bias = t.at("bias"), .bias_visible = visible});
  const auto by_mask = run_dot_product_attention(t, valid, {});
  EXPECT_EQ(by_bias.y, by_mask.y);
  EXPECT_EQ(by_bias.log_sum_exp, by_mask.log_sum_exp);
  const auto gradients = scaled_dot_product_attention_backward(dot_product_gradient(e), t.at("k"),
                                                               t.at("v"), {}, by_bias.saved, {});
  EXPECT_EQ(gradients.bias,
            run_dot_product_attention_backward(t, dot_product_gradient(e), valid, {}).at("bias"));
  for (std::size_t i = 0; i < visible.size(); ++i)
    EXPECT_TRUE(visible.data()[i] || gradients.bias.data()[i] == 0) << i;
}

TEST(ScaledDotProductAttention, QueriesWhoseBiasHidesAllKeysGiveZeros) {
  const DotProductExtents e{1, 1, 1, 2, 2, 1, 1, 0, 1, 1};
  const auto t = dot_product_inputs(e);
  const Mask visible{{{{true, true}, {false, false}}}};
  const auto run =
      scaled_dot_product_attention(t.at("q"), t.at("k"), t.at("v"), {}, {},
                                   {.sinks = {}, .bias = t.at("bias"), .bias_visible = visible});
  EXPECT_FALSE(tensor::is_given(run.log_sum_exp));
  EXPECT_NE(run.y.data()[0], 0);
  EXPECT_EQ(run.y.data()[1], 0);
}

TEST(ScaledDotProductAttention, C11_RejectsVisibleKeysThatHaveNotTheShapeOfTheBias) {
  const auto t = dot_product_inputs({1, 2, 1, 1, 2, 1, 1, 0, 1, 2});
  EXPECT_THAT(contract_message([&] {
                scaled_dot_product_attention(
                    t.at("q"), t.at("k"), t.at("v"), {}, {},
                    {.sinks = {}, .bias = t.at("bias"), .bias_visible = Mask{{{{true, false}}}}});
              }),
              HasSubstr("bias_visible has shape [1, 1, 1, 2]; expected shape [1, 2, 1, 2] (C11)"));
}

// A score of -cap would give hidden keys a part of the weights.
TEST(ScaledDotProductAttention, CapLeavesHiddenKeysWithoutWeight) {
  const DotProductExtents e{1, 1, 1, 2, 3, 1, 1};
  const auto t = dot_product_inputs(e);
  const auto run = run_dot_product_attention(t, Mask{{true, false, true}}, {.soft_cap = 1});
  EXPECT_EQ(run.saved.weights.data()[1], 0);
  EXPECT_GT(run.saved.weights.data()[0], 0);
  EXPECT_EQ(run.saved.weights.data()[0] + run.saved.weights.data()[2], 1);
}

TEST(ScaledDotProductAttention, RejectsScoresThatOverflowBeforeTheCap) {
  auto t = dot_product_inputs({1, 1, 1, 1, 2, 1, 1});
  t.at("q").fill(1e200);
  t.at("k").fill(1e200);
  const std::string sentence =
      contract_message([&] { run_dot_product_attention(t, {}, {.soft_cap = 30}); });
  EXPECT_NE(sentence.find("finite values where valid is true"), std::string::npos) << sentence;
}

TEST(ScaledDotProductAttention, GroupedQueryAttentionEqualsAttentionWithRepeatedKeyHeads) {
  const DotProductExtents e{2, 6, 2, 3, 4, 3, 2};
  const auto t = dot_product_inputs(e);
  auto repeated = dot_product_inputs({2, 6, 6, 3, 4, 3, 2});
  const auto copy = [&](const char* name, std::size_t width) {
    for (std::size_t i = 0; i < repeated.at(name).size(); ++i) {
      const std::size_t head = i / (e.keys * width), kv_head = head / 6 * 2 + head % 6 / 3;
      repeated.at(name).data()[i] =
          t.at(name).data()[kv_head * e.keys * width + i % (e.keys * width)];
    }
  };
  copy("k", e.features);
  copy("v", e.values);
  for (const bool causal : {false, true}) {
    EXPECT_EQ(run_dot_product_attention(t, {}, {.causal = causal}).y,
              run_dot_product_attention(repeated, {}, {.causal = causal}).y);
    const auto grouped =
        run_dot_product_attention_backward(t, dot_product_gradient(e), {}, {.causal = causal});
    const auto apart = run_dot_product_attention_backward(repeated, dot_product_gradient(e), {},
                                                          {.causal = causal});
    EXPECT_EQ(grouped.at("q"), apart.at("q"));
  }
}

// All linear maps of the multi-head attention are identities, so it computes the same function.
TEST(ScaledDotProductAttention, MatchesMultiHeadAttentionBitForBit) {
  constexpr std::size_t kTokens = 5, kWidth = 6, kHeads = 2, kFeatures = 3;
  Attention<double> identity{
      {tensor::full_tensor<double>({3 * kWidth, kWidth}, 0),
       Tensor<double>::from_shape({3 * kWidth})},
      {tensor::full_tensor<double>({kWidth, kWidth}, 0), Tensor<double>::from_shape({kWidth})}};
  identity.in.bias.fill(0);
  identity.out.bias.fill(0);
  for (std::size_t d = 0; d < kWidth; ++d) {
    for (std::size_t part = 0; part < 3; ++part) identity.in.weight(part * kWidth + d, d) = 1;
    identity.out.weight(d, d) = 1;
  }
  const auto x = random_tensor<double>("x", {1, kTokens, kWidth});
  const Mask valid{{true, false, true, true, true}};
  const auto whole = multi_head_attention(x, identity, valid, {.num_heads = kHeads});
  Tensor<double> heads = tensor::empty_tensor<double>({1, kHeads, kTokens, kFeatures});
  const auto place = [](std::size_t i) {  // the index in [T, H d] of element i of [H, T, d]
    return i / kFeatures % kTokens * kWidth + i / (kFeatures * kTokens) * kFeatures + i % kFeatures;
  };
  for (std::size_t i = 0; i < heads.size(); ++i) heads.data()[i] = x.data()[place(i)];
  const auto alone = scaled_dot_product_attention(heads, heads, heads, valid);
  for (std::size_t i = 0; i < heads.size(); ++i)
    EXPECT_EQ(alone.y.data()[i], whole.y.data()[place(i)]);
  EXPECT_EQ(alone.saved.weights, whole.saved.weights);
}

TEST(ScaledDotProductAttention, BitsDoNotDependOnThreadCountBatchOrPadding) {
  const DotProductExtents e{3, 4, 2, 9, 40, 5, 3};
  const auto t = dot_product_inputs(e);
  Mask valid = tensor::full_tensor<bool>({3, 40}, true);
  for (std::size_t j = 33; j < 40; ++j) valid.data()[40 + j] = false;  // in sample 1
  const auto whole = run_dot_product_attention(t, valid, {});
  const auto gradients = run_dot_product_attention_backward(t, dot_product_gradient(e), valid, {});
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(run_dot_product_attention(t, valid, {}).y, whole.y);
    EXPECT_EQ(run_dot_product_attention_backward(t, dot_product_gradient(e), valid, {}).at("k"),
              gradients.at("k"));
  }
  numeric::set_num_threads(1);
  // Sample 1 is computed alone, without its masked keys.
  NamedTensors<double> alone = dot_product_inputs({1, 4, 2, 9, 33, 5, 3});
  const auto truncate_tensor = [&](const char* name, std::size_t rows, std::size_t long_rows,
                                   std::size_t heads) {
    Tensor<double>& kv_head = alone.at(name);
    const std::size_t width = kv_head.size() / rows / heads;
    for (std::size_t h = 0; h < heads; ++h)
      std::copy_n(t.at(name).data() + (heads + h) * long_rows * width, rows * width,
                  kv_head.data() + h * rows * width);
  };
  truncate_tensor("q", 9, 9, 4);
  truncate_tensor("k", 33, 40, 2);
  truncate_tensor("v", 33, 40, 2);
  const auto y = run_dot_product_attention(alone, {}, {}).y;
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data()[i], whole.y.data()[y.size() + i]);
}

TEST(ScaledDotProductAttention, ShapeErrorsNameTheFunction) {
  const auto t = dot_product_inputs({1, 4, 3, 1, 2, 2, 1});
  EXPECT_EQ(contract_message([&] { run_dot_product_attention(t, {}, {}); }),
            "scaled_dot_product_attention: k has shape [1, 3, 2, 2]; expected [1,G,S,2], G a "
            "divisor of 4 (C2)");
  const auto two = dot_product_inputs({1, 1, 1, 2, 3, 1, 1});
  EXPECT_EQ(contract_message([&] {
              run_dot_product_attention(two, {{true, true}}, {});
            }),
            "scaled_dot_product_attention: valid has shape [1, 2]; expected shape [1, 3] (C3)");
}

TEST(ScaledDotProductAttention, C5_RejectsNonFiniteElements) {
  auto t = dot_product_inputs({2, 2, 1, 2, 2, 1, 1});
  t.at("k").data()[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(contract_message([&] { run_dot_product_attention(t, {}, {}); }),
            "scaled_dot_product_attention: k has the element [1, 0, 1, 0] = nan; expected finite "
            "values (C5)");
}

TEST(ScaledDotProductAttention, C5_RejectsSinksThatAreNotFinite) {
  auto t = dot_product_inputs({1, 2, 1, 1, 1, 1, 1, 1});
  t.at("sinks").data()[1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(contract_message([&] { run_dot_product_attention(t, {}, {}); }),
            "scaled_dot_product_attention: sinks has the element [1] = -inf; expected finite "
            "values (C5)");
}

TEST(ScaledDotProductAttention, ErrorNamesTheHeadsOfOverflowingScores) {
  auto t = dot_product_inputs({2, 2, 1, 2, 2, 1, 1});
  t.at("k").data()[3] = t.at("q").data()[7] = 1e200;
  EXPECT_THAT(
      numeric::error_message<numeric::NotFiniteError>(
          [&] { run_dot_product_attention(t, {}, {}); }),
      HasSubstr("attention in sample 1, heads 0 to 1: softmax: x has the element [0, 3, 1]"));
}

TEST(ScaledDotProductAttentionBackward, C6_RejectsGradYOfWrongShapeOrNotFinite) {
  const DotProductExtents e{1, 1, 1, 2, 2, 1, 1};
  const auto t = dot_product_inputs(e);
  EXPECT_THAT(contract_message([&] {
                run_dot_product_attention_backward(t, Tensor<double>{1.0, 2.0}, {}, {});
              }),
              HasSubstr("grad_y has shape [2]; expected shape [1, 1, 2, 1] (C6)"));
  auto grad_y = dot_product_gradient(e);
  grad_y.data()[1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(contract_message([&] { run_dot_product_attention_backward(t, grad_y, {}, {}); }),
              HasSubstr("grad_y has the element [0, 0, 1, 0] = inf; expected finite values (C6)"));
}

TEST(ScaledDotProductAttentionBackward, C7_RejectsSavedWeightsOfWrongShape) {
  const DotProductExtents e{1, 1, 1, 2, 2, 1, 1};
  const auto t = dot_product_inputs(e);
  auto saved = run_dot_product_attention(t, {}, {}).saved;
  saved.weights = tensor::full_tensor<double>({1, 1, 2, 3}, 0.5);
  EXPECT_THAT(contract_message([&] {
                scaled_dot_product_attention_backward(dot_product_gradient(e), t.at("k"), t.at("v"),
                                                      {}, saved);
              }),
              HasSubstr("weights has shape [1, 1, 2, 3]; expected shape [1, 1, 2, 2] (C7)"));
}

TEST(ScaledDotProductAttentionBackward, C7_RejectsSavedWeightsOfSinksOfWrongShape) {
  const DotProductExtents e{1, 1, 1, 2, 2, 1, 1, 1};
  const auto t = dot_product_inputs(e);
  auto saved = run_dot_product_attention(t, {}, {}).saved;
  saved.sink_weights = tensor::full_tensor<double>({1, 1, 3}, 0.5);
  EXPECT_THAT(contract_message([&] {
                scaled_dot_product_attention_backward(dot_product_gradient(e), t.at("k"), t.at("v"),
                                                      {}, saved);
              }),
              HasSubstr("sink_weights has shape [1, 1, 3]; expected shape [1, 1, 2] (C7)"));
}

}  // namespace
}  // namespace normproof::ref::nn
