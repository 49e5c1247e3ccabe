#include "verification/golden/recipes/merge_corpus.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "ref/model/operation.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

constexpr double kMergeNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMergeInfinity = std::numeric_limits<double>::infinity();
constexpr DType kMergeDtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};

/// The description of one case of merge_attention_states.
struct MergeRecipe {
  std::string reason;
  const char* why;
  DType dtype = DType::float32;
  std::size_t splits = 3, samples = 2, heads = 2, tokens = 3, features = 6;
  const char* base = nullptr;
  Fill o = plain, grad_y = plain, logs = twice_normal;
  /// Whether a split of a query is empty. If the function is empty, no split is.
  std::function<bool(std::size_t split, std::size_t query)> is_empty = {};
  double in_empty_splits = 100;  ///< the elements of o in empty splits

  std::size_t queries() const { return samples * heads * tokens; }

  static double plain(std::size_t, double normal) { return normal; }
  static double twice_normal(std::size_t, double normal) { return 2 * normal; }
};

class MergeCases {
 public:
  MergeCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kMergeDtypes) {
      add({.reason = "random", .why = "ordinary inputs", .dtype = dtype});
      add({.reason = "base_2",
           .why = "logarithms to base 2: the weights are powers of 2",
           .dtype = dtype,
           .base = "2"});
      add({.reason = "empty_splits",
           .why = "a split is empty for some queries, the first, the middle and the last one: it "
                  "has no weight",
           .dtype = dtype,
           .is_empty = [](std::size_t split, std::size_t query) { return split == query % 4; }});
      add({.reason = "empty_splits_hold_nan",
           .why = "o is NaN in empty splits, as in memory that no kernel wrote: it is not read",
           .dtype = dtype,
           .is_empty = [](std::size_t split, std::size_t query) { return split == query % 4; },
           .in_empty_splits = kMergeNaN});
    }
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      add_queries_without_splits(dtype, nullptr);
      add_queries_without_splits(dtype, "2");
      add({.reason = "two_splits",
           .why = "two splits, as after one cut of the keys",
           .dtype = dtype,
           .splits = 2});
      add({.reason = "large_logs",
           .why = "logarithms near 1e4: exp overflows unless the largest is subtracted",
           .dtype = dtype,
           .logs = scaled_and_moved(2, 1e4)});
      add({.reason = "negative_logs",
           .why = "logarithms near -1e4: every exponential vanishes unless the largest is "
                  "subtracted",
           .dtype = dtype,
           .logs = scaled_and_moved(2, -1e4)});
      add({.reason = "many_splits",
           .why = "one split more than a warp has lanes",
           .dtype = dtype,
           .splits = 33,
           .heads = 1,
           .features = 4,
           .logs = plain});
      for (const std::size_t features : kHeadWidths)
        add_head_case(features, dtype, DType::float32 == dtype ? "2" : nullptr);
    }
    add_head_case(64, DType::float16, nullptr);
    add_head_case(128, DType::float16, "2");
    extents();
    logarithms();
    add_limits();
    add_not_finite_cases();
  }

  void standard() {
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16})
      for (const char* base : {"e", "2"}) {
        const std::string end = fmt::format("_base_{}", base);
        add({.reason = "more_splits" + end,
             .why = "more splits than four warps have lanes, of which some are empty",
             .dtype = dtype,
             .splits = 129,
             .samples = 1,
             .tokens = 2,
             .features = 5,
             .base = base,
             .is_empty = [](std::size_t split,
                            std::size_t query) { return (split + query) % 3 == 0; },
             .in_empty_splits = kMergeNaN});
        add({.reason = "many_queries" + end,
             .why = "more queries than a block has threads",
             .dtype = dtype,
             .splits = 2,
             .samples = 1,
             .heads = 1,
             .tokens = 1025,
             .features = 3,
             .base = base});
        add({.reason = "whole_heads" + end,
             .why = "heads as models have them, and splits of a long context",
             .dtype = dtype,
             .splits = 8,
             .samples = 2,
             .heads = 8,
             .tokens = 2,
             .features = 128,
             .base = base});
      }
    for (const std::size_t splits : {31, 32, 64, 65, 127, 128})
      add({.reason = "splits_of_blocks",
           .why = "a number of splits at or beside a power of two: the remainder of a block is "
                  "dropped, or counted twice",
           .splits = splits,
           .samples = 1,
           .heads = 1,
           .tokens = 3,
           .features = 2,
           .logs = plain});
  }

 private:
  static double plain(std::size_t, double normal) { return normal; }
  static Fill scaled_and_moved(double scale, double offset) {
    return [=](std::size_t, double normal) { return offset + scale * normal; };
  }

  void extents() {
    for (const char* base : {"e", "2"}) {
      const std::string end = *base == '2' ? "_base_2" : "";
      add({.reason = "one_split" + end,
           .why = "one split: y is o, and log_sum_exp is returned unchanged",
           .splits = 1,
           .base = base});
      add({.reason = "seven_splits" + end,
           .why = "more splits than two: the weights of all of them add up to 1",
           .splits = 7,
           .base = base});
      add({.reason = "many_splits_some_empty" + end,
           .why = "33 splits, of which a third is empty",
           .splits = 33,
           .heads = 1,
           .features = 4,
           .base = base,
           .logs = plain,
           .is_empty = [](std::size_t split, std::size_t query) {
             return (split + query) % 3 == 0;
           }});
    }
    add({.reason = "one_feature", .why = "values of one feature", .samples = 1, .features = 1});
    add({.reason = "one_query",
         .why = "one query, as when one token is generated",
         .samples = 1,
         .heads = 1,
         .tokens = 1});
    add({.reason = "odd",
         .why = "odd extents, no multiple of any vector or warp",
         .splits = 5,
         .samples = 3,
         .tokens = 7,
         .features = 17});
    add({.reason = "features_edge",
         .why = "one feature more than a vector of 32",
         .samples = 1,
         .features = 33});
  }

  void logarithms() {
    add({.reason = "equal_logs",
         .why = "equal logarithms: the mean of the splits, and log(3) more",
         .logs = [](std::size_t, double) { return 1.25; }});
    for (const char* base : {"e", "2"})
      add({.reason = fmt::format("dominant_split_base_{}", base),
           .why = "one split takes nearly all, another one for each query",
           .base = base,
           .logs = [](std::size_t i, double normal) {
             return i / 12 == i % 12 % 3 ? 30 + normal : normal;
           }});
    add({.reason = "far_logs",
         .why = "logarithms that are hundreds apart: all weights but one are 0",
         .logs = scaled_by(300)});
    add({.reason = "large_logs_base_2",
         .why = "logarithms near 1e4 to base 2",
         .base = "2",
         .logs = scaled_and_moved(2, 1e4)});
    add({.reason = "logs_of_100",
         .why = "logarithms near 100: their exponentials overflow float32",
         .logs = scaled_and_moved(1, 100)});
    add({.reason = "logs_of_minus_100",
         .why = "logarithms near -100: their exponentials vanish in float32",
         .logs = scaled_and_moved(1, -100)});
  }

  void add_queries_without_splits(DType dtype, const char* base) {
    add({.reason = base == nullptr ? "no_split" : "no_split_base_2",
         .why = "all splits of some queries are empty: y is 0, and log_sum_exp is -inf",
         .dtype = dtype,
         .base = base,
         .is_empty =
             [](std::size_t split, std::size_t query) {
               return query % 4 == 1 || (query % 4 == 2 && split > 0);
             },
         .in_empty_splits = kMergeNaN});
  }

  void add_head_case(std::size_t features, DType dtype, const char* base) {
    add({.reason = fmt::format("heads_of_{}", features),
         .why = "a head of the size that models have",
         .dtype = dtype,
         .splits = 4,
         .samples = 1,
         .tokens = 2,
         .features = features,
         .base = base});
  }

  void add_limits() {
    add({.reason = "subnormal_16_bits",
         .why = kWhySubnormal,
         .dtype = DType::float16,
         .o = some_subnormal_elements(2),
         .grad_y = some_subnormal_elements(3)});
    add({.reason = "near_largest",
         .why = "values near the largest number of float16: their weights keep the sum in range",
         .dtype = DType::float16,
         .o = near_largest,
         .grad_y = scaled_by(0x1p-16)});
    add({.reason = "zeros",
         .why = "elements of 0, of the gradient too",
         .o = [](std::size_t i, double normal) { return i % 4 == 1 ? 0.0 : normal; },
         .grad_y = [](std::size_t i, double normal) { return i % 5 == 2 ? 0.0 : normal; }});
    add({.reason = "empty_splits_hold_infinity",
         .why = "o is infinite in empty splits: it is not read",
         .is_empty = [](std::size_t split, std::size_t query) { return split == query % 4; },
         .in_empty_splits = kMergeInfinity});
    add({.reason = "all_but_one_empty",
         .why = "one split of each query is not empty: it is returned unchanged",
         .is_empty = [](std::size_t split, std::size_t query) { return split != query % 3; },
         .in_empty_splits = kMergeNaN});
  }

  void add_not_finite_cases() {
    const auto with = [](std::size_t at, const Fill& fill) {
      return [at, fill](std::size_t i, double normal) {
        return i == at ? kMergeNaN : fill(i, normal);
      };
    };
    const char* const why = "a NaN reaches what depends on it, and nothing else";
    add({.reason = "nan_in_o", .why = why, .o = with(8, plain)});
    add({.reason = "nan_in_log_sum_exp", .why = why, .logs = with(5, plain)});
    add({.reason = "nan_in_grad_y", .why = why, .grad_y = with(8, plain)});
  }

  void add(const MergeRecipe& r) {
    Case c;
    c.tier = tier_;
    c.reason = r.reason;
    c.why = r.why;
    c.options = ref::model::operation("merge_attention_states");
    c.dtype = r.dtype;
    if (r.base != nullptr) ref::model::set_option(c.options, "log_sum_exp_base", r.base);
    const std::size_t queries = r.queries();
    const auto is_empty = [&](std::size_t state) {
      return r.is_empty && r.is_empty(state / queries, state % queries);
    };
    const auto o = [&](std::size_t i, double normal) {
      return is_empty(i / r.features) ? r.in_empty_splits : r.o(i, normal);
    };
    const auto logs = [&](std::size_t i, double normal) {
      return is_empty(i) ? -kMergeInfinity : r.logs(i, normal);
    };
    // Kernels keep the logarithms of 16-bit values in float32.
    const DType of_logs = ref::io::item_size(r.dtype) < 4 ? DType::float32 : r.dtype;
    c.inputs.push_back(filled_tensor(c, "grad_y", {r.samples, r.heads, r.tokens, r.features},
                                     r.dtype, r.grad_y, seed_));
    c.inputs.push_back(filled_tensor(c, "log_sum_exp", {r.splits, r.samples, r.heads, r.tokens},
                                     of_logs, logs, seed_));
    c.inputs.push_back(filled_tensor(c, "o", {r.splits, r.samples, r.heads, r.tokens, r.features},
                                     r.dtype, o, seed_));
    cases_.push_back(std::move(c));
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> merge_cases(Tier tier, std::uint64_t seed) {
  MergeCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
