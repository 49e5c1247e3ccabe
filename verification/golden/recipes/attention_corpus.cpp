#include "verification/golden/recipes/attention_corpus.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "verification/golden/recipes/attention_cases.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

void AttentionCases::quick() {
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

void AttentionCases::standard() {
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

void AttentionCases::add(const AttentionRecipe& r) {
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

void AttentionCases::add_cases_in_every_dtype(DType dtype) {
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

void AttentionCases::extents() {
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

void AttentionCases::add_block_edge_cases(std::size_t edge) {
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

void AttentionCases::add_low_precision_cases(std::size_t extent) {
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

void AttentionCases::add_head_cases(std::size_t features, DType dtype) {
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

void AttentionCases::add_chunked_prefill_case(DType dtype) {
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

void AttentionCases::add_float16_limit_cases() {
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

void AttentionCases::add_not_finite_cases() {
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

std::vector<Case> attention_cases(Tier tier, std::uint64_t seed) {
  AttentionCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
