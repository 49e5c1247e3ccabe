#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

/// The cases of attention, whose families are in several sources: attention_corpus.cpp,
/// attention_mask_corpus.cpp and attention_score_corpus.cpp.
namespace normproof::verification::golden::recipes {

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

  void quick();
  void standard();

 private:
  static constexpr DType kEveryDtype[] = {DType::float64, DType::float32, DType::float16,
                                          DType::bfloat16};
  static constexpr DType kHighPrecisionDtypes[] = {DType::float64, DType::float32};
  static constexpr DType kLowPrecisionDtypes[] = {DType::bfloat16, DType::float16};

  void add(const AttentionRecipe& r);

  static std::function<bool(std::size_t, std::size_t)> lengths(std::vector<std::size_t> of) {
    return [of = std::move(of)](std::size_t sample, std::size_t key) { return key < of[sample]; };
  }
  static Fill scaled_by(double factor, double offset = 0) {
    return [=](std::size_t, double normal) { return offset + factor * normal; };
  }

  void add_cases_in_every_dtype(DType dtype);
  void masks();
  void windows();
  void soft_caps();
  void biases();
  void bases();
  void sinks();
  void scores();
  void extents();
  /// Adds a case with `edge` keys and a case with `edge` queries. If `edge` is at most 64, also
  /// adds a case with a causal mask.
  void add_block_edge_cases(std::size_t edge);
  void add_low_precision_cases(std::size_t extent);
  /// Adds a case whose heads have `features` features. The tier `quick` has one head.
  void add_head_cases(std::size_t features, DType dtype);
  /// Adds a case with a causal mask and at least 64 keys before the first query.
  void add_chunked_prefill_case(DType dtype);
  void add_float16_limit_cases();
  void add_not_finite_cases();
  /// Returns the bias of ALiBi for T queries and S keys of `heads` heads: -slope times the distance
  /// of the key from the position of the query.
  static Fill alibi(std::size_t heads, std::size_t tokens, std::size_t keys);

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace normproof::verification::golden::recipes
