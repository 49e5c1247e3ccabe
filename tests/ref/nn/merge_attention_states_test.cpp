#include "ref/nn/merge_attention_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/attention_states.hpp"
#include "ref/nn/scaled_dot_product_attention.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using model::LogSumExpBase;
using model::MergeAttentionStatesOptions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The largest rounding error of one operation, relative to its result.
constexpr double kUnit = 0x1p-53;
constexpr LogSumExpBase kBases[] = {LogSumExpBase::e, LogSumExpBase::two};

Tensor<double> tensor_of(const Shape& shape, const std::vector<double>& values) {
  Tensor<double> result = tensor::empty_tensor<double>(shape);
  std::ranges::copy(values, result.begin());
  return result;
}

/// Partial results [P,B,H,T,E] and their logarithms, which differ by a few units.
struct PartialResults {
  NamedTensors<double> tensors;
  Mask present;
};

PartialResults partial_results(std::size_t splits, const Shape& queries, std::size_t features,
                               double offset = 0, std::size_t empty_period = 0) {
  Shape states = {splits};
  states.insert(states.end(), queries.begin(), queries.end());
  Shape o = states;
  o.push_back(features);
  PartialResults result;
  result.tensors.set("o", random_tensor<double>("o", o));
  Tensor<double> logs = random_tensor<double>("log_sum_exp", states);
  for (double& log : logs) log = offset + 2 * log;
  if (empty_period > 0) {
    result.present = tensor::full_tensor<bool>(states, true);
    for (std::size_t i = 0; i < logs.size(); i += empty_period) result.present.data()[i] = false;
  }
  result.tensors.set("log_sum_exp", logs);
  return result;
}

template <class T>
MergedStates<T> merge(const NamedTensors<T>& t, const Mask& present,
                      const MergeAttentionStatesOptions& options = {}) {
  return merge_attention_states(t.at("o"), t.at("log_sum_exp"), present, options);
}

TEST(MergeAttentionStates, MergesTwoSplitsByHand) {
  const Tensor<double> o = tensor_of({2, 1, 1, 1, 2}, {1, 10, 3, 20});
  const Tensor<double> logs = tensor_of({2, 1, 1, 1}, {std::log(3.0), 0});
  const auto merged = merge_attention_states(o, logs);
  EXPECT_NEAR(merged.y.data()[0], 1.5, 4 * kUnit * 1.5);
  EXPECT_NEAR(merged.y.data()[1], 12.5, 4 * kUnit * 12.5);
  EXPECT_NEAR(merged.log_sum_exp.data()[0], std::log(4.0), 4 * kUnit * std::log(4.0));
  const Tensor<double> powers = tensor_of({2, 1, 1, 1}, {std::log2(3.0), 0});
  const auto of_powers =
      merge_attention_states(o, powers, {}, {.log_sum_exp_base = LogSumExpBase::two});
  EXPECT_NEAR(of_powers.y.data()[0], 1.5, 4 * kUnit * 1.5);
  EXPECT_NEAR(of_powers.log_sum_exp.data()[0], 2, 4 * kUnit * 2);
}

TEST(MergeAttentionStates, ReturnsOneSplitUnchanged) {
  for (const LogSumExpBase base : kBases) {
    const PartialResults in = partial_results(1, {2, 3, 2}, 5, 1e4);
    const auto merged = merge(in.tensors, {}, {.log_sum_exp_base = base});
    EXPECT_TRUE(std::ranges::equal(merged.y, in.tensors.at("o")));
    EXPECT_TRUE(std::ranges::equal(merged.log_sum_exp, in.tensors.at("log_sum_exp")));
  }
}

TEST(MergeAttentionStates, DoesNotReadEmptySplits) {
  for (const LogSumExpBase base : kBases) {
    const MergeAttentionStatesOptions options{.log_sum_exp_base = base};
    PartialResults in = partial_results(4, {1, 2, 3}, 3, 0, 5);
    const auto merged = merge(in.tensors, in.present, options);
    const Tensor<double> grad_y = random_tensor<double>("grad_y", {1, 2, 3, 3});
    const auto gradients = merge_attention_states_backward(grad_y, in.tensors.at("o"),
                                                           merged.weights, in.present, options);
    for (std::size_t i = 0; i < in.present.size(); ++i) {
      if (in.present.data()[i]) continue;
      in.tensors.at("log_sum_exp").data()[i] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(gradients.log_sum_exp.data()[i], 0);
      for (std::size_t e = 0; e < 3; ++e) {
        in.tensors.at("o").data()[i * 3 + e] = e == 0 ? kInfinity : std::nan("");
        EXPECT_EQ(gradients.o.data()[i * 3 + e], 0);
      }
    }
    const auto again = merge(in.tensors, in.present, options);
    EXPECT_EQ(again.y, merged.y);
    EXPECT_EQ(again.log_sum_exp, merged.log_sum_exp);
    EXPECT_EQ(merge_attention_states_backward(grad_y, in.tensors.at("o"), again.weights, in.present,
                                              options)
                  .log_sum_exp,
              gradients.log_sum_exp);
  }
}

TEST(MergeAttentionStates, AQueryWhoseSplitsAreAllEmptyGetsZerosAndMinusInfinity) {
  const PartialResults in = partial_results(3, {1, 1, 2}, 2);
  Mask present = tensor::full_tensor<bool>({3, 1, 1, 2}, true);
  for (std::size_t split = 0; split < 3; ++split) present.data()[split * 2 + 1] = false;
  const auto merged = merge(in.tensors, present);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(merged.y.data()[2 + e], 0);
    EXPECT_FALSE(std::signbit(merged.y.data()[2 + e]));
  }
  EXPECT_EQ(merged.log_sum_exp.data()[1], -kInfinity);
  EXPECT_EQ(merged.log_sum_exp.data()[0], merge(in.tensors, {}).log_sum_exp.data()[0]);
  const auto gradients = merge_attention_states_backward(
      random_tensor<double>("grad_y", {1, 1, 2, 2}), in.tensors.at("o"), merged.weights, present);
  for (std::size_t split = 0; split < 3; ++split)
    EXPECT_EQ(gradients.log_sum_exp.data()[split * 2 + 1], 0);
}

TEST(MergeAttentionStates, LargeAndSmallLogarithmsOverflowNothing) {
  for (const double offset : {1e4, -1e4, 1e300, -1e300}) {
    const PartialResults in = partial_results(3, {1, 1, 2}, 2, offset);
    const Tensor<double>& logs = in.tensors.at("log_sum_exp");
    const auto merged = merge(in.tensors, {});
    for (const double y : merged.y) EXPECT_TRUE(std::isfinite(y)) << offset;
    for (std::size_t query = 0; query < 2; ++query) {
      const double log = merged.log_sum_exp.data()[query];
      const double largest =
          std::max({logs.data()[query], logs.data()[2 + query], logs.data()[4 + query]});
      EXPECT_GE(log, largest) << offset;
      EXPECT_LE(log, largest + std::log(3.0)) << offset;
    }
  }
}

TEST(MergeAttentionStates, TheOrderOfTheSplitsChangesOnlyTheRounding) {
  const PartialResults in = partial_results(5, {2, 2, 3}, 4);
  NamedTensors<double> reversed = in.tensors;
  for (const char* name : {"o", "log_sum_exp"}) {
    const Tensor<double>& from = in.tensors.at(name);
    const std::size_t size = from.size() / 5;
    for (std::size_t split = 0; split < 5; ++split)
      std::copy_n(from.data() + split * size, size, reversed.at(name).data() + (4 - split) * size);
  }
  const auto merged = merge(in.tensors, {}), other = merge(reversed, {});
  const double rounding_error = 2 * 5 * kUnit * 4;  // of two sums of 5 terms whose sum is at most 4
  for (std::size_t i = 0; i < merged.y.size(); ++i)
    EXPECT_NEAR(merged.y.data()[i], other.y.data()[i], rounding_error);
  for (std::size_t i = 0; i < merged.log_sum_exp.size(); ++i)
    EXPECT_NEAR(merged.log_sum_exp.data()[i], other.log_sum_exp.data()[i], rounding_error);
}

// Attention over ten keys is cut into three parts, whose results are merged.
TEST(MergeAttentionStates, MergedPartsOfAttentionAreTheAttention) {
  for (const LogSumExpBase base : kBases) {
    const model::AttentionOptions options{.log_sum_exp_base = base};
    const auto q = random_tensor<double>("q", {2, 2, 3, 4}),
               k = random_tensor<double>("k", {2, 2, 10, 4}),
               v = random_tensor<double>("v", {2, 2, 10, 5});
    const auto whole = scaled_dot_product_attention(q, k, v, {}, options);
    Tensor<double> o = tensor::empty_tensor<double>({3, 2, 2, 3, 5});
    Tensor<double> logs = tensor::empty_tensor<double>({3, 2, 2, 3});
    const std::size_t begins[] = {0, 2, 7, 10};
    for (std::size_t part = 0; part < 3; ++part) {
      Mask valid = tensor::full_tensor<bool>({2, 10}, false);
      for (std::size_t sample = 0; sample < 2; ++sample)
        for (std::size_t key = begins[part]; key < begins[part + 1]; ++key)
          valid.data()[sample * 10 + key] = true;
      const auto of_part = scaled_dot_product_attention(q, k, v, valid, options);
      std::copy_n(of_part.y.data(), of_part.y.size(), o.data() + part * of_part.y.size());
      std::copy_n(of_part.log_sum_exp.data(), of_part.log_sum_exp.size(),
                  logs.data() + part * of_part.log_sum_exp.size());
    }
    const auto merged = merge_attention_states(o, logs, {}, {.log_sum_exp_base = base});
    for (std::size_t i = 0; i < whole.y.size(); ++i)
      EXPECT_NEAR(merged.y.data()[i], whole.y.data()[i], 1e-14);
    for (std::size_t i = 0; i < whole.log_sum_exp.size(); ++i)
      EXPECT_NEAR(merged.log_sum_exp.data()[i], whole.log_sum_exp.data()[i], 1e-14);
  }
}

struct ExactMerge {
  Tensor<oracle100> y, log_sum_exp;
};

/// Evaluates the definition at 100 digits. No logarithm is subtracted, because nothing overflows.
ExactMerge evaluate_merge_definition(const PartialResults& in, LogSumExpBase base) {
  const Tensor<double>&o = in.tensors.at("o"), &logs = in.tensors.at("log_sum_exp");
  const auto s = model::attention_states("test", tensor::shape_of(o), tensor::shape_of(logs), {});
  ExactMerge exact{tensor::full_tensor<oracle100>(s.y_shape(), 0),
                   tensor::full_tensor<oracle100>(s.queries, 0)};
  const oracle100 unit = base == LogSumExpBase::two ? oracle100(log(oracle100(2))) : oracle100(1);
  for (std::size_t row = 0; row < s.rows; ++row) {
    oracle100 sum = 0;
    for (std::size_t p = 0; p < s.splits; ++p) {
      if (!model::is_present(in.present, s.state(p, row))) continue;
      const oracle100 e = exp(oracle100(logs.data()[s.state(p, row)]) * unit);
      sum += e;
      for (std::size_t f = 0; f < s.value_features; ++f)
        exact.y.data()[row * s.value_features + f] +=
            e * oracle100(o.data()[s.state(p, row) * s.value_features + f]);
    }
    if (sum == 0) continue;
    for (std::size_t f = 0; f < s.value_features; ++f)
      exact.y.data()[row * s.value_features + f] /= sum;
    exact.log_sum_exp.data()[row] = log(sum) / unit;
  }
  return exact;
}

TEST(MergeAttentionStates, DoubleResultsAreWithinTheDerivedErrorBound) {
  for (const LogSumExpBase base : kBases)
    for (const double offset : {0.0, 50.0, -300.0})
      for (const std::size_t splits : {1, 2, 3, 7, 40}) {
        const PartialResults in = partial_results(splits, {2, 1, 3}, 3, offset, splits > 2 ? 7 : 0);
        const ExactMerge exact = evaluate_merge_definition(in, base);
        const auto got = merge(in.tensors, in.present, {.log_sum_exp_base = base});
        const auto bound = merge(convert_all_tensors<running_error>(in.tensors), in.present,
                                 {.log_sum_exp_base = base});
        EXPECT_WITHIN(verification::checks::compare::compare(bound.y, exact.y));
        EXPECT_WITHIN(verification::checks::compare::compare(bound.log_sum_exp, exact.log_sum_exp));
        for (std::size_t i = 0; i < got.y.size(); ++i)
          EXPECT_EQ(got.y.data()[i], numeric::to_double(bound.y.data()[i]));
      }
}

TEST(MergeAttentionStates, IntervalAndBallResultsContainTheExactValues) {
  const auto expect = [](const auto& got, const Tensor<oracle100>& exact) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto [lower, upper] = numeric::enclose(got.data()[i]);
      EXPECT_LE(oracle100(lower), exact.data()[i]);
      EXPECT_GE(oracle100(upper), exact.data()[i]);
    }
  };
  for (const LogSumExpBase base : kBases) {
    const MergeAttentionStatesOptions options{.log_sum_exp_base = base};
    const PartialResults in = partial_results(7, {1, 2, 3}, 2, 3, 5);
    const ExactMerge exact = evaluate_merge_definition(in, base);
    const auto intervals =
        merge(convert_all_tensors<numeric::interval>(in.tensors), in.present, options);
    const auto balls = merge(convert_all_tensors<numeric::ball>(in.tensors), in.present, options);
    expect(intervals.y, exact.y);
    expect(balls.y, exact.y);
    expect(intervals.log_sum_exp, exact.log_sum_exp);
    expect(balls.log_sum_exp, exact.log_sum_exp);
  }
}

TEST(MergeAttentionStates, BackwardIsTheDerivative) {
  for (const LogSumExpBase base : kBases)
    for (const std::size_t splits : {1, 2, 3, 5})
      for (const std::size_t empty_period : {0, 1, 2, 3}) {
        const PartialResults in = partial_results(splits, {1, 2, 2}, 2, 0, empty_period);
        const MergeAttentionStatesOptions options{.log_sum_exp_base = base};
        expect_gradients(
            in.tensors, random_tensor<double>("grad_y", {1, 2, 2, 2}),
            [&]<class T>(const NamedTensors<T>& t) { return merge(t, in.present, options).y; },
            [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
              auto gradients = merge_attention_states_backward(
                  grad_y, t.at("o"), merge(t, in.present, options).weights, in.present, options);
              NamedTensors<T> result;
              result.set("o", std::move(gradients.o));
              result.set("log_sum_exp", std::move(gradients.log_sum_exp));
              return result;
            },
            "P " + std::to_string(splits) + ", empty " + std::to_string(empty_period));
      }
}

TEST(MergeAttentionStates, BitsDoNotDependOnTheThreadCount) {
  const PartialResults in = partial_results(5, {3, 4, 40}, 33, 0, 7);
  const auto merged = merge(in.tensors, in.present);
  const auto grad_y = random_tensor<double>("grad_y", {3, 4, 40, 33});
  const auto backward = [&] {
    return merge_attention_states_backward(grad_y, in.tensors.at("o"), merged.weights, in.present);
  };
  const auto gradients = backward();
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(merge(in.tensors, in.present).y, merged.y);
    EXPECT_EQ(backward().o, gradients.o);
    EXPECT_EQ(backward().log_sum_exp, gradients.log_sum_exp);
  }
  numeric::set_num_threads(1);
}

TEST(MergeAttentionStates, C4_RejectsNonFiniteElementsOfSplitsThatAreNotEmpty) {
  PartialResults in = partial_results(2, {1, 1, 2}, 2);
  in.tensors.at("o").data()[5] = kInfinity;
  const auto message = [&](const Mask& present) {
    return numeric::contract_message([&] { merge(in.tensors, present); });
  };
  EXPECT_EQ(message({}),
            "merge_attention_states: o has the element [1, 0, 0, 0, 1] = inf; expected finite "
            "values in splits that are not empty (C4)");
  Mask present = tensor::full_tensor<bool>({2, 1, 1, 2}, true);
  present.data()[2] = false;
  EXPECT_EQ(message(present), "no error");
  in.tensors.at("log_sum_exp").data()[3] = std::nan("");
  EXPECT_EQ(message(present),
            "merge_attention_states: log_sum_exp has the element [1, 0, 0, 1] = nan; expected "
            "finite values in splits that are not empty (C4)");
}

TEST(MergeAttentionStates, C5_RejectsAGradientThatIsNotFiniteOrDoesNotFit) {
  const PartialResults in = partial_results(2, {1, 1, 2}, 2);
  const auto merged = merge(in.tensors, {});
  const auto message = [&](const Tensor<double>& grad_y) {
    return numeric::contract_message(
        [&] { merge_attention_states_backward(grad_y, in.tensors.at("o"), merged.weights); });
  };
  EXPECT_EQ(message(random_tensor<double>("grad_y", {1, 2, 2})),
            "merge_attention_states_backward: grad_y has shape [1, 2, 2]; expected shape "
            "[1, 1, 2, 2] (C5)");
  Tensor<double> grad_y = random_tensor<double>("grad_y", {1, 1, 2, 2});
  grad_y.data()[1] = -kInfinity;
  EXPECT_EQ(message(grad_y),
            "merge_attention_states_backward: grad_y has the element [0, 0, 0, 1] = -inf; expected "
            "finite values (C5)");
}

TEST(MergeAttentionStates, C6_RejectsWeightsOfAnotherShape) {
  const PartialResults in = partial_results(2, {1, 1, 2}, 2);
  EXPECT_EQ(numeric::contract_message([&] {
              merge_attention_states_backward(random_tensor<double>("grad_y", {1, 1, 2, 2}),
                                              in.tensors.at("o"),
                                              random_tensor<double>("weights", {2, 3}));
            }),
            "merge_attention_states_backward: weights has shape [2, 3]; expected shape [2, 2] "
            "(C6)");
}

}  // namespace
}  // namespace normproof::ref::nn
