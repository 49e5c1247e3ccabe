#include "verification/golden/recipes/attention_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

constexpr DType kEveryDtype[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};
constexpr DType kHighPrecisionDtypes[] = {DType::float64, DType::float32};
constexpr DType kLowPrecisionDtypes[] = {DType::bfloat16, DType::float16};

/// The description of one case of attention.
struct AttentionRecipe {
  std::string reason;
  const char* why;
  DType dtype = DType::float32;
  std::size_t samples = 2, heads = 2, kv_heads = 2, tokens = 3, keys = 5, features = 4, values = 4;
  bool causal = false;
  const char* scale = nullptr;
  const char *mask_corner = nullptr, *window_left = nullptr, *window_right = nullptr;
  const char *soft_cap = nullptr, *log_sum_exp_base = nullptr;
  bool has_sinks = false;
  /// The first two extents of a bias: of samples and of heads. They are 0 if there is no bias.
  std::pair<std::size_t, std::size_t> bias_extents = {0, 0};
  Fill q = twice_normal, k = plain, v = plain, grad_y = plain, sinks = plain, bias = plain;
  /// Whether a query may attend to a key. If the function is empty, the case has no mask.
  std::function<bool(std::size_t sample, std::size_t key)> valid = {};

  static double plain(std::size_t, double normal) { return normal; }
  /// Returns an element of q: twice a normal number. The scores are then a few units in size, so
  /// that the attention weights of S keys are neither close to 1/S nor close to 0.
  static double twice_normal(std::size_t, double normal) { return 2 * normal; }
};

class AttentionCases {
 public:
  AttentionCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kEveryDtype) add_cases_in_every_dtype(dtype);
    masks();
    windows();
    soft_caps();
    sinks();
    bases();
    biases();
    scores();
    extents();
    for (const std::size_t edge : block_edges_of_tier(tier_)) add_block_edge_cases(edge);
    add_low_precision_cases(513);
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      add_head_cases(64, dtype);
    for (const DType dtype : kLowPrecisionDtypes) add_head_cases(128, dtype);
    add_chunked_prefill_case(DType::float32);
    add_float16_limit_cases();
    add_not_finite_cases();
  }

  void standard() {
    for (const DType dtype : kHighPrecisionDtypes) {
      for (const char* name : {"a", "b", "c"})
        add({.reason = fmt::format("random_{}", name),
             .why = "random inputs of another seed",
             .dtype = dtype,
             .samples = 3,
             .heads = 4,
             .tokens = 7,
             .keys = 9,
             .features = 6,
             .values = 5});
      add({.reason = "long_causal",
           .why = "a causal mask over more than two blocks of 64",
           .dtype = dtype,
           .samples = 1,
           .heads = 2,
           .kv_heads = 1,
           .tokens = 131,
           .keys = 131,
           .features = 8,
           .values = 8,
           .causal = true});
      add({.reason = "head_of_128",
           .why = "a head of 128 features, as models have",
           .dtype = dtype,
           .samples = 1,
           .heads = 8,
           .kv_heads = 1,
           .tokens = 5,
           .keys = 17,
           .features = 128,
           .values = 128});
      add({.reason = "long_rows",
           .why = "more queries and keys than a block has threads",
           .dtype = dtype,
           .samples = 1,
           .heads = 1,
           .kv_heads = 1,
           .tokens = 1025,
           .keys = 3,
           .features = 2,
           .values = 2});
      add({.reason = "long_keys",
           .why = "more keys than a block has threads",
           .dtype = dtype,
           .samples = 1,
           .heads = 1,
           .kv_heads = 1,
           .tokens = 3,
           .keys = 1025,
           .features = 2,
           .values = 2});
      add({.reason = "many_samples",
           .why = "more samples than a warp has lanes",
           .dtype = dtype,
           .samples = 129,
           .heads = 1,
           .kv_heads = 1,
           .tokens = 2,
           .keys = 3,
           .features = 2,
           .values = 2});
    }
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "long_window",
           .why = "a window of 100 keys over more than three blocks of 64",
           .dtype = dtype,
           .samples = 1,
           .heads = 2,
           .kv_heads = 1,
           .tokens = 70,
           .keys = 260,
           .features = 8,
           .values = 8,
           .causal = true,
           .window_left = "100"});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "long_soft_cap",
           .why = "capped scores over more than three blocks of 64",
           .dtype = dtype,
           .samples = 1,
           .heads = 2,
           .kv_heads = 1,
           .tokens = 70,
           .keys = 260,
           .features = 8,
           .values = 8,
           .causal = true,
           .soft_cap = "3"});
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add({.reason = "long_sinks",
           .why = "sinks and more than four blocks of 64 keys, of which a sink is counted once",
           .dtype = dtype,
           .heads = 4,
           .kv_heads = 1,
           .tokens = 33,
           .keys = 260,
           .features = 8,
           .values = 8,
           .causal = true,
           .has_sinks = true});
    for (const std::size_t edge : block_edges_of_tier(tier_)) add_block_edge_cases(edge);
    add_low_precision_cases(2050);
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
      for (const std::size_t features : kHeadWidths) add_head_cases(features, dtype);
      add_chunked_prefill_case(dtype);
    }
  }

 private:
  void add(const AttentionRecipe& r) {
    Case c;
    c.tier = tier_;
    c.reason = r.reason;
    c.why = r.why;
    c.options = ref::model::operation("attention");
    c.dtype = r.dtype;
    if (r.causal) ref::model::set_option(c.options, "causal", "true");
    for (const auto& [name, value] :
         {std::pair("scale", r.scale), std::pair("mask_corner", r.mask_corner),
          std::pair("window_left", r.window_left), std::pair("window_right", r.window_right),
          std::pair("soft_cap", r.soft_cap), std::pair("log_sum_exp_base", r.log_sum_exp_base)})
      if (value != nullptr) ref::model::set_option(c.options, name, value);
    const auto add_input = [&](const char* name, std::vector<std::size_t> shape, const Fill& fill) {
      c.inputs.push_back(filled_tensor(c, name, std::move(shape), c.dtype, fill, seed_));
    };
    if (r.bias_extents.first > 0)
      add_input("bias", {r.bias_extents.first, r.bias_extents.second, r.tokens, r.keys}, r.bias);
    add_input("grad_y", {r.samples, r.heads, r.tokens, r.values}, r.grad_y);
    add_input("k", {r.samples, r.kv_heads, r.keys, r.features}, r.k);
    add_input("q", {r.samples, r.heads, r.tokens, r.features}, r.q);
    if (r.has_sinks) add_input("sinks", {r.heads}, r.sinks);
    add_input("v", {r.samples, r.kv_heads, r.keys, r.values}, r.v);
    if (r.valid)
      c.inputs.push_back(filled_tensor(
          c, "valid", {r.samples, r.keys}, DType::boolean,
          [&r](std::size_t i, double) { return r.valid(i / r.keys, i % r.keys) ? 1.0 : 0.0; },
          seed_));
    cases_.push_back(std::move(c));
  }

  static std::function<bool(std::size_t, std::size_t)> lengths(std::vector<std::size_t> of) {
    return [of = std::move(of)](std::size_t sample, std::size_t key) { return key < of[sample]; };
  }
  static Fill scaled_by(double factor, double offset = 0) {
    return [=](std::size_t, double normal) { return offset + factor * normal; };
  }

  void add_cases_in_every_dtype(DType dtype) {
    add({.reason = "random", .why = "ordinary inputs", .dtype = dtype, .values = 3});
    add({.reason = "causal",
         .why = "a query sees the keys up to its own: later ones, or earlier ones, or not its own",
         .dtype = dtype,
         .samples = 1,
         .tokens = 5,
         .causal = true});
    add({.reason = "grouped",
         .why = "three heads of queries read one head of keys: h mod G for floor(h / (H/G))",
         .dtype = dtype,
         .samples = 1,
         .heads = 6,
         .keys = 4,
         .features = 3,
         .values = 3});
    add({.reason = "ragged",
         .why = "samples of 5, 1 and 3 keys: the others take no part",
         .dtype = dtype,
         .samples = 3,
         .valid = lengths({5, 1, 3})});
    add({.reason = "ragged_causal_grouped",
         .why = "lengths, a causal mask and groups at once, fewer queries than keys",
         .dtype = dtype,
         .heads = 4,
         .tokens = 4,
         .keys = 6,
         .features = 3,
         .values = 3,
         .causal = true,
         .valid = lengths({6, 4})});
    add({.reason = "large_scores",
         .why = "scores of hundreds: exp overflows unless the largest is subtracted",
         .dtype = dtype,
         .q = scaled_by(200)});
  }

  void masks() {
    add({.reason = "causal_more_keys",
         .why = "fewer queries than keys: the last query sees every key, not the first T alone",
         .tokens = 3,
         .keys = 7,
         .causal = true});
    for (const DType dtype : kHighPrecisionDtypes)
      add({.reason = "causal_fewer_keys",
           .why = "more queries than keys: the first ones see none, and give zeros and no NaN",
           .dtype = dtype,
           .tokens = 6,
           .keys = 4,
           .causal = true});
    add({.reason = "sample_without_keys",
         .why = "no key of the second sample takes part: zeros, no NaN and no mean of the values",
         .samples = 3,
         .valid = lengths({4, 0, 2})});
    add({.reason = "scattered_mask",
         .why = "keys between others take no part: a length does not say which",
         .valid = [](std::size_t b, std::size_t j) { return (j + b) % 3 != 1; }});
    for (const DType dtype : kEveryDtype)
      add({.reason = "masked_3e4",
           .why = "keys and values that take no part are larger than all others",
           .dtype = dtype,
           .k = [](std::size_t i, double normal) { return i / 4 % 5 < 3 ? normal : 3e4; },
           .v = [](std::size_t i, double normal) { return i / 4 % 5 < 3 ? normal : -3e4; },
           .valid = lengths({3, 3})});
  }

  void windows() {
    for (const DType dtype : kEveryDtype)
      add({.reason = "window",
           .why = "a query sees the two keys before its own position, as in Mistral: one more, one "
                  "less, or all",
           .dtype = dtype,
           .samples = 1,
           .tokens = 6,
           .keys = 6,
           .causal = true,
           .window_left = "2"});
    add({.reason = "window_more_keys",
         .why =
             "a window at the last key, as when text is generated: the first keys are never read",
         .tokens = 3,
         .keys = 9,
         .causal = true,
         .window_left = "3"});
    add({.reason = "window_both_sides",
         .why = "one key before and two behind, without a causal mask",
         .tokens = 7,
         .keys = 9,
         .window_left = "1",
         .window_right = "2"});
    add({.reason = "window_left_alone",
         .why = "keys behind are all visible: the window has one side",
         .tokens = 5,
         .keys = 7,
         .window_left = "1"});
    add({.reason = "window_right_alone",
         .why = "keys before are all visible: the window has one side",
         .tokens = 5,
         .keys = 7,
         .window_right = "1"});
    add({.reason = "window_of_own_key",
         .why = "a window of 0: each query sees its own key alone, whose weight is 1",
         .tokens = 4,
         .keys = 6,
         .window_left = "0",
         .window_right = "0"});
    add({.reason = "window_wider_than_keys",
         .why = "a window that hides nothing",
         .tokens = 3,
         .keys = 5,
         .causal = true,
         .window_left = "4096"});
    add({.reason = "window_fewer_keys",
         .why = "more queries than keys: those whose window ends before the first key see none",
         .tokens = 7,
         .keys = 4,
         .causal = true,
         .window_left = "1"});
    add({.reason = "window_ragged",
         .why = "lengths and a window: a query whose window has masked keys alone sees none",
         .tokens = 5,
         .keys = 5,
         .causal = true,
         .window_left = "1",
         .valid = lengths({5, 2})});
    add({.reason = "window_past_a_block",
         .why = "a window that begins in the second block of 64 keys: the first is skipped whole",
         .samples = 1,
         .heads = 1,
         .kv_heads = 1,
         .tokens = 3,
         .keys = 131,
         .features = 2,
         .values = 2,
         .causal = true,
         .window_left = "65"});
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      add({.reason = "top_left_more_keys",
           .why = "a causal mask from the first key, as in PyTorch: the last keys are never seen",
           .dtype = dtype,
           .tokens = 3,
           .keys = 7,
           .causal = true,
           .mask_corner = "top_left"});
      add({.reason = "top_left_fewer_keys",
           .why = "a causal mask from the first key, and more queries than keys: the last ones see "
                  "every key",
           .dtype = dtype,
           .tokens = 6,
           .keys = 4,
           .causal = true,
           .mask_corner = "top_left"});
    }
    add({.reason = "top_left_window",
         .why = "a window from the first key: a query far behind the last key sees none",
         .tokens = 8,
         .keys = 5,
         .causal = true,
         .mask_corner = "top_left",
         .window_left = "1"});
  }

  void soft_caps() {
    for (const DType dtype : kEveryDtype)
      add({.reason = "soft_cap",
           .why =
               "scores of some units and a cap of 1.5: the cap comes behind the scale and before "
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

  /// Returns the bias of ALiBi for T queries and S keys of `heads` heads: -slope times the distance
  /// of the key from the position of the query.
  static Fill alibi(std::size_t heads, std::size_t tokens, std::size_t keys) {
    return [=](std::size_t i, double) {
      const std::size_t head = i / keys / tokens % heads;
      const double position = static_cast<double>(i / keys % tokens + keys - tokens);
      const double slope = std::ldexp(1.0, -static_cast<int>(head) - 1);
      return -slope * std::fabs(position - static_cast<double>(i % keys));
    };
  }

  void biases() {
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
    add({.reason = "bias_nan",
         .why = "a NaN in the bias reaches its query, and nothing else",
         .bias_extents = {2, 2},
         .bias = [](std::size_t i, double normal) {
           return i == 13 ? std::numeric_limits<double>::quiet_NaN() : normal;
         }});
  }

  void bases() {
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

  void sinks() {
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

  void scores() {
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
    add({.reason = "small_scale",
         .why = "muP: 1/d for 1/sqrt(d)",
         .features = 8,
         .scale = "0.125"});
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

  void extents() {
    add({.reason = "one_kv_head",
         .why = "every head of queries reads the one head of keys",
         .heads = 8,
         .kv_heads = 1,
         .tokens = 2,
         .keys = 3,
         .features = 3,
         .values = 3});
    add({.reason = "one_query",
         .why = "T = 1, as where text is generated: it sees every key",
         .heads = 4,
         .tokens = 1,
         .keys = 9,
         .features = 3,
         .values = 3,
         .causal = true});
    add({.reason = "one_key", .why = "S = 1: its weight is 1", .keys = 1});
    add({.reason = "one_feature",
         .why = "D = E = 1",
         .heads = 1,
         .kv_heads = 1,
         .features = 1,
         .values = 1});
    add({.reason = "odd",
         .why = "odd extents",
         .heads = 3,
         .kv_heads = 1,
         .tokens = 5,
         .keys = 7,
         .features = 5,
         .values = 7});
    for (const std::size_t features : {33, 65})
      add({.reason = "features_edge",
           .why = kWhyBlockEdge,
           .samples = 1,
           .heads = 1,
           .kv_heads = 1,
           .tokens = 2,
           .keys = 3,
           .features = features,
           .values = features});
  }

  /// Adds a case with `edge` keys and a case with `edge` queries. If `edge` is at most 64, also
  /// adds a case with a causal mask.
  void add_block_edge_cases(std::size_t edge) {
    AttentionRecipe r{.reason = fmt::format("block_edge_{}_keys", edge),
                      .why = kWhyBlockEdge,
                      .samples = 1,
                      .heads = 1,
                      .kv_heads = 1,
                      .tokens = 2,
                      .keys = edge,
                      .features = 2,
                      .values = 2};
    add(r);
    std::swap(r.tokens, r.keys);
    r.reason = "block_edge";
    add(r);
    if (edge > 64) return;
    r.reason = "block_edge_causal";
    r.keys = edge;
    r.causal = true;
    add(r);
  }

  void add_low_precision_cases(std::size_t extent) {
    for (const DType dtype : kLowPrecisionDtypes) {
      AttentionRecipe r{.reason = "many_keys",
                        .why = "sums over keys, and their exponentials, that are kept in 16 bits",
                        .dtype = dtype,
                        .samples = 1,
                        .heads = 1,
                        .kv_heads = 1,
                        .tokens = 2,
                        .keys = extent,
                        .features = 1,
                        .values = 1,
                        .q = scaled_by(0.5),
                        .v = scaled_by(1, 1)};
      add(r);
      r.reason = "many_queries";
      r.why = "gradients of keys and values over many queries, kept in 16 bits";
      r.q = scaled_by(0.5, 1);  // most terms have the same sign
      r.grad_y = scaled_by(1, 0.5);
      std::swap(r.tokens, r.keys);
      add(r);
    }
  }

  /// Adds a case whose heads have `features` features. The tier `quick` has one head.
  void add_head_cases(std::size_t features, DType dtype) {
    const bool small = tier_ == Tier::quick;
    add({.reason = fmt::format("heads_of_{}", features),
         .why = "heads of the size that models have: products of whole tiles",
         .dtype = dtype,
         .samples = 1,
         .heads = small ? 1u : 4u,
         .kv_heads = small ? 1u : 2u,
         .tokens = small ? (features > 64 ? 1u : 2u) : 17u,
         .keys = small ? 2u : 65u,
         .features = features,
         .values = features,
         .causal = !small});
  }

  /// Adds a case with a causal mask and at least 64 keys before the first query.
  void add_chunked_prefill_case(DType dtype) {
    const bool small = tier_ == Tier::quick;
    add({.reason = "chunked_prefill",
         .why = "a chunk of queries behind a block of 64 keys and more: a causal mask that is "
                "aligned with the first key hides them",
         .dtype = dtype,
         .samples = 1,
         .heads = small ? 1u : 4u,
         .kv_heads = small ? 1u : 2u,
         .tokens = small ? 3u : 33u,
         .keys = small ? 69u : 161u,
         .features = small ? 2u : 64u,
         .values = small ? 2u : 64u,
         .causal = true});
  }

  void add_float16_limit_cases() {
    add({.reason = "subnormal_16_bits",
         .why = kWhySubnormal,
         .dtype = DType::float16,
         .q = some_subnormal_elements(2),
         .grad_y = some_subnormal_elements(3)});
    add({.reason = "near_largest",
         .why = "queries near the largest number of float16, and keys as small: their products "
                "are scores of some units",
         .dtype = DType::float16,
         .q = near_largest,
         .k = scaled_by(0x1p-13)});
  }

  void add_not_finite_cases() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const auto with = [](std::size_t at) {
      return [at](std::size_t i, double normal) { return i == at ? kNaN : normal; };
    };
    const char* const why = "a NaN reaches what depends on it, and nothing else";
    add({.reason = "nan_in_q", .why = why, .q = with(21)});
    add({.reason = "nan_in_k", .why = why, .k = with(13)});
    add({.reason = "nan_in_v", .why = why, .v = with(6)});
    add({.reason = "nan_in_grad_y", .why = why, .grad_y = with(2)});
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> attention_cases(Tier tier, std::uint64_t seed) {
  AttentionCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
