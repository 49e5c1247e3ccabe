#include "verification/golden/recipes/rope_corpus.hpp"

#include <fmt/format.h>

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

/// Returns the rational number t for angle i. The cosine and the sine of the angle are computed
/// from t as a rational point of the unit circle, so that no trigonometric function is called.
double half_angle_tangent(std::size_t i) {
  return static_cast<double>((7 * i + 3) % 61) / 16 - 1.875;
}
double cosine(std::size_t i, double) {
  const double t = half_angle_tangent(i);
  return (1 - t * t) / (1 + t * t);
}
double sine(std::size_t i, double) {
  const double t = half_angle_tangent(i);
  return 2 * t / (1 + t * t);
}

/// The description of one case of rope.
struct RopeRecipe {
  std::string reason;
  const char* why;
  DType dtype = DType::float32;
  std::vector<std::size_t> shape = {2, 3, 4, 6};
  std::size_t pairs = 3;
  bool interleaved = false;
  Fill x = standard_normal, grad_y = standard_normal, cos = cosine, sin = sine;

  static double standard_normal(std::size_t, double normal) { return normal; }
};

class RopeCases {
 public:
  RopeCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const bool interleaved : {false, true}) {
      const std::string of = interleaved ? "interleaved" : "halves";
      for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
        add({.reason = of, .why = "ordinary inputs", .dtype = dtype, .interleaved = interleaved});
        add({.reason = of + "_quarter_turns",
             .why = "cosines and sines of 0, 1/2, -1 and 2: what remains is the last rounding",
             .dtype = dtype,
             .interleaved = interleaved,
             .cos = [](std::size_t i,
                       double) { return i % 3 == 0   ? 0.5
                                        : i % 3 == 1 ? 0.0
                                                     : -1.0; },
             .sin = [](std::size_t i, double) { return i % 2 == 0 ? 2.0 : -0.5; }});
      }
      add({.reason = of + "_partial",
           .why = "features behind the pairs are copied, here three of nine",
           .shape = {2, 2, 4, 9},
           .interleaved = interleaved});
      for (const DType dtype : {DType::bfloat16, DType::float16})
        add({.reason = of + "_partial_16_bits",
             .why = "a quarter of a head of 32 features is rotated, and the rest is copied",
             .dtype = dtype,
             .shape = {1, 2, 3, 32},
             .pairs = 4,
             .interleaved = interleaved});
      add({.reason = of + "_partial_head",
           .why = "half of a head of 64 features is rotated, as some models have it",
           .shape = {1, 2, 3, 64},
           .pairs = 16,
           .interleaved = interleaved});
      add({.reason = of + "_one_pair",
           .why = "one pair of five features",
           .shape = {2, 4, 5},
           .pairs = 1,
           .interleaved = interleaved});
      add({.reason = of + "_heads_of_64",
           .why = "a head of 64 features in 16 bits: whole vectors of 16 bytes",
           .dtype = interleaved ? DType::float16 : DType::bfloat16,
           .shape = {1, 1, 64},
           .pairs = 32,
           .interleaved = interleaved});
      for (const std::size_t edge : {33, 129})
        add({.reason = of + "_tokens",
             .why = kWhyBlockEdge,
             .shape = {1, 1, edge, 4},
             .pairs = 2,
             .interleaved = interleaved});
      for (const std::size_t edge : {31, 65})
        add({.reason = of + "_pairs",
             .why = kWhyBlockEdge,
             .shape = {1, 2, 2, 2 * edge},
             .pairs = edge,
             .interleaved = interleaved});
    }
    add({.reason = "one_row",
         .why = "one token of one sample, and two pairs",
         .shape = {1, 1, 4},
         .pairs = 2});
    add({.reason = "zeros_in_x",
         .why = "elements of 0, of the gradient too",
         .x = [](std::size_t i, double normal) { return i % 4 == 1 ? 0.0 : normal; },
         .grad_y = [](std::size_t i, double normal) { return i % 5 == 2 ? 0.0 : normal; }});
    add({.reason = "subnormal_16_bits",
         .why = kWhySubnormal,
         .dtype = DType::float16,
         .x = some_subnormal_elements(2),
         .grad_y = some_subnormal_elements(3)});
    add({.reason = "near_largest",
         .why = kWhyNearLargest,
         .dtype = DType::float16,
         .interleaved = true,
         .x = near_largest});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add({.reason = "nan_in_x",
         .why = "a NaN reaches the two features of its pair, and nothing else",
         .x = [=](std::size_t i, double normal) { return i == 8 ? nan : normal; }});
    add({.reason = "nan_in_grad_y",
         .why = "a NaN reaches no y, and the gradients of its pair",
         .grad_y = [=](std::size_t i, double normal) { return i == 8 ? nan : normal; }});
  }

  void standard() {
    for (const bool interleaved : {false, true}) {
      const std::string of = interleaved ? "interleaved" : "halves";
      for (const DType dtype : {DType::bfloat16, DType::float16})
        for (const std::size_t features : kHeadWidths)
          add({.reason = fmt::format("{}_heads_of_{}", of, features),
               .why = "heads of the size that models have, in 16 bits: whole vectors of 16 bytes",
               .dtype = dtype,
               .shape = {2, 4, 17, features},
               .pairs = features / 2,
               .interleaved = interleaved});
      for (const DType dtype : {DType::float64, DType::float32}) {
        add({.reason = of + "_head_of_128",
             .why = "heads of 128 features, as models have",
             .dtype = dtype,
             .shape = {2, 4, 17, 128},
             .pairs = 64,
             .interleaved = interleaved});
        add({.reason = of + "_long",
             .why = "more tokens than a block has threads",
             .dtype = dtype,
             .shape = {1, 2, 1025, 4},
             .pairs = 2,
             .interleaved = interleaved});
        add({.reason = of + "_wide",
             .why = "more features than a block has threads",
             .dtype = dtype,
             .shape = {1, 1, 2, 1026},
             .pairs = 513,
             .interleaved = interleaved});
      }
    }
    for (const std::size_t edge : kBlockEdges) {
      const bool interleaved = edge % 2 == 0;
      add({.reason = "block_tokens",
           .why = kWhyBlockEdge,
           .shape = {1, 1, edge, 2},
           .pairs = 1,
           .interleaved = interleaved});
      add({.reason = "block_features",
           .why = "an extent at or beside a power of two, the last feature of an odd one alone",
           .shape = {1, 1, 2, edge},
           .pairs = edge / 2,
           .interleaved = !interleaved});
    }
  }

 private:
  void add(const RopeRecipe& r) {
    Case c;
    c.tier = tier_;
    c.reason = r.reason;
    c.why = r.why;
    c.options = ref::model::operation("rope");
    c.dtype = r.dtype;
    ref::model::set_option(c.options, "interleaved", r.interleaved ? "true" : "false");
    const auto add_input = [&](const char* name, std::vector<std::size_t> shape, const Fill& fill) {
      c.inputs.push_back(filled_tensor(c, name, std::move(shape), c.dtype, fill, seed_));
    };
    const std::size_t tokens = r.shape[r.shape.size() - 2];
    add_input("cos", {tokens, r.pairs}, r.cos);
    add_input("grad_y", r.shape, r.grad_y);
    add_input("sin", {tokens, r.pairs}, r.sin);
    add_input("x", r.shape, r.x);
    cases_.push_back(std::move(c));
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> rope_cases(Tier tier, std::uint64_t seed) {
  RopeCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
