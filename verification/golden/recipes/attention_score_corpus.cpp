#include "verification/golden/recipes/attention_cases.hpp"

#include <cmath>
#include <limits>

namespace normproof::verification::golden::recipes {

Fill AttentionCases::alibi(std::size_t heads, std::size_t tokens, std::size_t keys) {
  return [=](std::size_t i, double) {
    const std::size_t head = i / keys / tokens % heads;
    const double position = static_cast<double>(i / keys % tokens + keys - tokens);
    const double slope = std::ldexp(1.0, -static_cast<int>(head) - 1);
    return -slope * std::fabs(position - static_cast<double>(i % keys));
  };
}

void AttentionCases::soft_caps() {
  for (const DType dtype : kEveryDtype)
    add({.reason = "soft_cap",
         .why = "scores of some units and a cap of 1.5: the cap comes behind the scale and before "
                "the mask",
         .dtype = dtype,
         .samples = 1,
         .tokens = 5,
         .causal = true,
         .soft_cap = "1.5"});
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add({.reason = "soft_cap_large_scores",
         .why = "scores of hundreds and a cap of 30: tanh is 1, and gradients through it are 0",
         .dtype = dtype,
         .soft_cap = "30",
         .q = scaled_by(200)});
    add({.reason = "soft_cap_of_50",
         .why = "the cap of Gemma 2, far above ordinary scores",
         .dtype = dtype,
         .soft_cap = "50"});
  }
  add({.reason = "soft_cap_1e4",
       .why = "a cap that changes nothing: tanh x is x",
       .soft_cap = "10000"});
  add({.reason = "soft_cap_below_scores",
       .why = "a cap of 0.05, below almost all scores: the weights are nearly equal",
       .soft_cap = "0.05"});
  add({.reason = "soft_cap_scale",
       .why = "a given scale and a cap: neither is applied twice, nor after the other",
       .scale = "0.3",
       .soft_cap = "1"});
  add({.reason = "soft_cap_window",
       .why = "a window and a cap: keys outside the window are not seen with the score -cap",
       .tokens = 4,
       .keys = 8,
       .causal = true,
       .window_left = "1",
       .soft_cap = "2"});
  add({.reason = "soft_cap_ragged_grouped",
       .why = "lengths, groups and a cap: masked keys are not seen with the score -cap",
       .heads = 4,
       .tokens = 4,
       .keys = 6,
       .features = 3,
       .values = 3,
       .soft_cap = "2",
       .valid = lengths({6, 3})});
  add({.reason = "soft_cap_fewer_keys",
       .why = "queries that see no key give zeros, and not the mean of equally capped keys",
       .tokens = 6,
       .keys = 4,
       .causal = true,
       .soft_cap = "2"});
  add({.reason = "soft_cap_nan_in_k",
       .why = "a NaN reaches what depends on it through the cap, and nothing else",
       .soft_cap = "2",
       .k = [](std::size_t i, double normal) {
         return i == 13 ? std::numeric_limits<double>::quiet_NaN() : normal;
       }});
}

void AttentionCases::biases() {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  for (const DType dtype : kEveryDtype)
    add({.reason = "bias",
         .why = "a bias for each sample and head, and groups: it is added behind the scale",
         .dtype = dtype,
         .heads = 4,
         .tokens = 4,
         .keys = 4,
         .bias_extents = {2, 4}});
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add({.reason = "bias_of_heads",
         .why = "a bias for each head and all samples: grad_bias has terms of both samples",
         .dtype = dtype,
         .bias_extents = {1, 2}});
    add({.reason = "bias_alibi",
         .why = "the bias of ALiBi: -slope times the distance, with a causal mask",
         .dtype = dtype,
         .heads = 4,
         .tokens = 4,
         .keys = 6,
         .causal = true,
         .bias_extents = {1, 4},
         .bias = alibi(4, 4, 6)});
    add({.reason = "bias_hides_keys",
         .why = "-infinity hides a key as a mask does: its weight and its gradients are 0",
         .dtype = dtype,
         .bias_extents = {2, 1},
         .bias = [](std::size_t i, double normal) { return i % 3 == 1 ? kHidden : normal; }});
  }
  add({.reason = "bias_of_samples",
       .why = "a bias for each sample and all heads",
       .bias_extents = {2, 1}});
  add({.reason = "bias_shared",
       .why = "a bias for all samples and heads: grad_bias is the sum over both",
       .samples = 3,
       .heads = 4,
       .bias_extents = {1, 1}});
  add({.reason = "bias_hides_all_keys",
       .why = "a query whose bias is -infinity everywhere sees no key: zeros, and no NaN",
       .bias_extents = {2, 2},
       .bias = [](std::size_t i, double normal) { return i / 5 % 4 == 2 ? kHidden : normal; }});
  add({.reason = "bias_soft_cap",
       .why = "a bias and a cap: the cap limits the products alone, and not the bias",
       .soft_cap = "1",
       .bias_extents = {2, 2},
       .bias = scaled_by(2)});
  add({.reason = "bias_scale",
       .why = "a given scale: the bias is not multiplied by it",
       .scale = "0.3",
       .bias_extents = {2, 2},
       .bias = scaled_by(2)});
  add({.reason = "bias_large",
       .why = "a bias of hundreds: it is part of the largest score",
       .bias_extents = {1, 2},
       .bias = scaled_by(200)});
  add({.reason = "bias_sinks",
       .why = "a bias and sinks: the bias is not added to the sink",
       .has_sinks = true,
       .bias_extents = {2, 2},
       .bias = scaled_by(1, 2)});
  add({.reason = "bias_ragged_window",
       .why = "lengths, a window and a bias that hides keys, all at once",
       .heads = 4,
       .tokens = 5,
       .keys = 6,
       .causal = true,
       .window_left = "2",
       .bias_extents = {1, 4},
       .bias = [](std::size_t i, double normal) { return i % 7 == 3 ? kHidden : normal; },
       .valid = lengths({6, 4})});
  for (const DType dtype : kLowPrecisionDtypes)
    add({.reason = "bias_of_many_samples",
         .why = "grad_bias over many samples, kept in 16 bits",
         .dtype = dtype,
         .samples = 130,
         .heads = 1,
         .kv_heads = 1,
         .tokens = 1,
         .keys = 2,
         .features = 1,
         .values = 1,
         .bias_extents = {1, 1},
         .v = [](std::size_t i, double normal) { return i % 2 == 0 ? 1 + normal / 4 : 0.0; },
         .grad_y = scaled_by(0.5, 1)});
  add({.reason = "bias_of_two_blocks_of_samples",
       .why = "grad_bias over two blocks of 32 samples and three more: none is lost",
       .samples = 67,
       .heads = 1,
       .kv_heads = 1,
       .tokens = 2,
       .keys = 3,
       .features = 2,
       .values = 2,
       .bias_extents = {1, 1},
       .grad_y = scaled_by(1, 1)});
  add({.reason = "bias_nan",
       .why = "a NaN in the bias reaches its query, and nothing else",
       .bias_extents = {2, 2},
       .bias = [](std::size_t i, double normal) {
         return i == 13 ? std::numeric_limits<double>::quiet_NaN() : normal;
       }});
}

void AttentionCases::bases() {
  for (const DType dtype : kEveryDtype)
    add({.reason = "base_2",
         .why = "log_sum_exp is a logarithm to base 2, and the weights are those of base e",
         .dtype = dtype,
         .log_sum_exp_base = "2"});
  add({.reason = "base_2_large_scores",
       .why = "scores of hundreds: the largest score is converted to base 2 too",
       .log_sum_exp_base = "2",
       .q = scaled_by(200)});
  add({.reason = "base_2_grouped_causal",
       .why = "a causal mask, groups and log_sum_exp to base 2",
       .samples = 1,
       .heads = 6,
       .tokens = 4,
       .causal = true,
       .log_sum_exp_base = "2"});
  add({.reason = "base_2_soft_cap",
       .why = "a cap and log_sum_exp to base 2: the cap limits natural logarithms",
       .soft_cap = "1.5",
       .log_sum_exp_base = "2"});
  add({.reason = "base_2_sinks",
       .why = "a query that sees no key has its sink in base 2",
       .tokens = 6,
       .keys = 4,
       .causal = true,
       .log_sum_exp_base = "2",
       .has_sinks = true});
  add({.reason = "base_2_one_key",
       .why = "one key: log_sum_exp is its score, divided by log(2)",
       .keys = 1,
       .log_sum_exp_base = "2"});
}

void AttentionCases::sinks() {
  for (const DType dtype : kEveryDtype)
    add({.reason = "sinks",
         .why = "a sink for each head of queries, in groups: the sink of the key head is another "
                "one, and grad_sinks has terms of both samples",
         .dtype = dtype,
         .heads = 4,
         .tokens = 4,
         .causal = true,
         .has_sinks = true});
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add({.reason = "sinks_of_zero",
         .why = "a sink of 0 is softmax plus one: 1 is added to the sum of exponentials, before "
                "the largest score is subtracted",
         .dtype = dtype,
         .has_sinks = true,
         .sinks = [](std::size_t, double) { return 0.0; }});
    add({.reason = "sinks_above_scores",
         .why = "sinks of 30, above all scores: exp overflows no number, and y is nearly 0",
         .dtype = dtype,
         .has_sinks = true,
         .sinks = scaled_by(1, 30)});
    add({.reason = "sinks_fewer_keys",
         .why = "a query that sees no key has its sink: y is 0, and log_sum_exp is the sink",
         .dtype = dtype,
         .tokens = 6,
         .keys = 4,
         .causal = true,
         .has_sinks = true});
  }
  add({.reason = "sinks_of_100",
       .why = "sinks of 100, whose exponential overflows if it is not relative to the largest "
              "score, which is the sink",
       .has_sinks = true,
       .sinks = scaled_by(1, 100)});
  add({.reason = "sinks_below_scores",
       .why = "sinks of -100, which take no weight: a sink of 0 for a missing one does",
       .has_sinks = true,
       .sinks = scaled_by(1, -100)});
  add({.reason = "sinks_large_scores",
       .why = "scores and sinks of hundreds: the largest score of all is subtracted from both",
       .has_sinks = true,
       .q = scaled_by(200),
       .sinks = scaled_by(100)});
  add({.reason = "sinks_scale",
       .why = "a given scale: the sink is not multiplied by it",
       .scale = "0.3",
       .has_sinks = true,
       .sinks = scaled_by(2)});
  add({.reason = "sinks_soft_cap",
       .why = "a cap below the sinks: it limits the scores of keys alone",
       .soft_cap = "1",
       .has_sinks = true,
       .sinks = scaled_by(2, 2)});
  add({.reason = "sinks_window",
       .why = "a window that moves and a sink that does not, as in gpt-oss",
       .heads = 4,
       .tokens = 5,
       .keys = 8,
       .causal = true,
       .window_left = "1",
       .has_sinks = true});
  add({.reason = "sinks_ragged",
       .why = "lengths, of which one is 0: a sample without keys has its sinks",
       .samples = 3,
       .has_sinks = true,
       .valid = lengths({5, 0, 3})});
  add({.reason = "sinks_one_query",
       .why = "T = 1, as where text is generated: 64 keys and more, and a sink once",
       .samples = 1,
       .heads = 4,
       .kv_heads = 1,
       .tokens = 1,
       .keys = 131,
       .features = 2,
       .values = 2,
       .causal = true,
       .has_sinks = true});
  for (const DType dtype : kLowPrecisionDtypes)
    add({.reason = "sinks_many_queries",
         .why = "grad_sinks over many queries, kept in 16 bits",
         .dtype = dtype,
         .samples = 2,
         .heads = 1,
         .kv_heads = 1,
         .tokens = 257,
         .keys = 2,
         .features = 1,
         .values = 1,
         .has_sinks = true,
         .v = scaled_by(1, 1),
         .grad_y = scaled_by(1, 0.5)});
  add({.reason = "sinks_two_blocks_of_queries",
       .why = "grad_sinks over two blocks of 32 queries and three more: none is lost",
       .samples = 1,
       .heads = 2,
       .kv_heads = 1,
       .tokens = 67,
       .keys = 3,
       .features = 2,
       .values = 2,
       .has_sinks = true,
       .grad_y = scaled_by(1, 1)});
  add({.reason = "sinks_one_hot_gradient",
       .why = "one element of grad_y is not 0: grad_sinks has one term",
       .has_sinks = true,
       .grad_y = [](std::size_t i, double) { return i == 13 ? 3.0 : 0.0; }});
  add({.reason = "sinks_nan",
       .why = "a NaN in one sink reaches the queries of its head, and nothing else",
       .has_sinks = true,
       .sinks = [](std::size_t i, double normal) {
         return i == 1 ? std::numeric_limits<double>::quiet_NaN() : normal;
       }});
  add({.reason = "sinks_nan_in_k",
       .why = "a NaN in a key reaches its queries and their sink",
       .has_sinks = true,
       .k = [](std::size_t i, double normal) {
         return i == 13 ? std::numeric_limits<double>::quiet_NaN() : normal;
       }});
}

void AttentionCases::scores() {
  const Fill same = [](std::size_t i, double) { return 0.25 * static_cast<double>(i % 4) - 0.5; };
  for (const DType dtype : kHighPrecisionDtypes) {
    add({.reason = "offset_minus_1e5",
         .why = "scores near -1e5, below what stands for minus infinity in some kernels",
         .dtype = dtype,
         .q = scaled_by(1, 200),
         .k = scaled_by(1, -250),
         .valid = lengths({5, 3})});
    add({.reason = "given_scale",
         .why = "a scale that is no root of anything",
         .dtype = dtype,
         .scale = "0.3"});
  }
  add({.reason = "scale_1", .why = "scores that are not scaled", .scale = "1"});
  add({.reason = "small_scale", .why = "muP: 1/d for 1/sqrt(d)", .features = 8, .scale = "0.125"});
  add({.reason = "equal_scores", .why = "every key the same: each weight is 1/S", .k = same});
  for (const DType dtype : kLowPrecisionDtypes)
    add({.reason = "four_equal_scores",
         .why = "weights of 1/4, which every format holds: what remains is the last rounding",
         .dtype = dtype,
         .keys = 4,
         .k = same});
  add({.reason = "zeros_in_q",
       .why = "queries of 0 and -0: each weight is 1/S, and the gradients are not 0",
       .q = [](std::size_t i, double normal) {
         return i % 8 < 4 ? (i % 2 ? -0.0 : 0.0) : normal;
       }});
  add({.reason = "one_hot_gradient",
       .why = "one element of grad_y is not 0",
       .grad_y = [](std::size_t i, double) { return i == 13 ? 3.0 : 0.0; }});
}

}  // namespace normproof::verification::golden::recipes
