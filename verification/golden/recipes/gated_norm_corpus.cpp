#include "verification/golden/recipes/gated_norm_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kGatedNormDtypes[] = {DType::float64, DType::float32, DType::float16,
                                      DType::bfloat16};
constexpr DType kHighPrecisionGatedNormDtypes[] = {DType::float64, DType::float32};
constexpr DType kLowPrecisionGatedNormDtypes[] = {DType::bfloat16, DType::float16};
constexpr std::size_t kQuickGatedNormEdges[] = {31, 33, 63, 64, 65, 257};

/// The options that decide the formula, and the suffix of the names of their cases.
struct GatedFormula {
  const char* suffix;
  const char* position;
  const char* activation;
};
constexpr GatedFormula kGatedFormulas[] = {{"", "after", "silu"},
                                           {"_before", "before", "silu"},
                                           {"_sigmoid", "after", "sigmoid"},
                                           {"_before_sigmoid", "before", "sigmoid"}};

/// Groups of features: their number and their width.
struct Groups {
  std::size_t count, width;
};

class GatedNormCases {
 public:
  GatedNormCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const GatedFormula& formula : kGatedFormulas)
      for (const DType dtype : kGatedNormDtypes)
        add(with_formula("random", {3, 5, 6}, dtype, formula)
                .why("ordinary inputs, every extent another one"));
    add_group_cases({{2, 6}, {4, 2}, {4, 32}, {4, 33}}, 3);
    add_group_cases({{2, 64}, {2, 128}}, 2);
    add_many_group_cases();
    add_parameter_cases();
    add_gate_cases();
    add_eps_cases();
    add_conditioned_cases();
    extents();
    add_sixteen_bit_cases();
    add_not_finite_cases({4, 6});
  }

  void standard() {
    add_not_finite_cases({7, 34});
    for (const DType dtype : kHighPrecisionGatedNormDtypes) {
      for (const GatedFormula& formula : kGatedFormulas)
        for (const char* name : {"a", "b"})
          add(with_formula(fmt::format("random_{}", name), {4, 9, 30}, dtype, formula)
                  .option("groups", "3")
                  .why("random inputs of another seed, three groups"));
      add(base_recipe("wide", {5, 1026}, dtype)
              .why("more features than a warp, a wavefront or a block has threads"));
      add(base_recipe("tall", {1031, 6}, dtype)
              .why("more rows than a block has threads, and a prime number of them")
              .option("groups", "2"));
      add(base_recipe("rank_4", {2, 3, 5, 8}, dtype)
              .why("two axes of samples: rows are all but the last")
              .option("groups", "4"));
    }
    for (const Tier tier : {Tier::quick, Tier::standard})
      for (const std::size_t extent : block_edge_extents(tier))
        add(base_recipe("block_edge", {3, extent}, DType::float32).why(kWhyBlockEdge));
    for (const DType dtype : kLowPrecisionGatedNormDtypes)
      for (const GatedFormula& formula : kGatedFormulas)
        add(with_formula("production", {3, 4096}, dtype, formula)
                .why("the width of a block of a language model, in 8 groups")
                .option("groups", "8"));
  }

 private:
  static constexpr const char* kWhyWide =
      "a row of real width: a sum of squares kept in 16 bits stops growing";

  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return {tier_, "gated_rms_norm", std::move(reason), std::move(shape), dtype};
  }
  /// Starts the recipe of a case with these options. Its name ends with the suffix of the formula.
  Recipe with_formula(const std::string& reason, Shape shape, DType dtype,
                      const GatedFormula& formula) const {
    Recipe recipe = base_recipe(reason + formula.suffix, std::move(shape), dtype);
    recipe.option("gate_position", formula.position).option("gate_activation", formula.activation);
    return recipe;
  }
  Recipe before(const std::string& reason, Shape shape, DType dtype) const {
    return with_formula(reason, std::move(shape), dtype, kGatedFormulas[1]);
  }
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  /// Adds cases whose groups have magnitudes that differ by a factor.
  void add_group_cases(std::initializer_list<Groups> all, std::size_t rows) {
    for (const Groups& groups : all)
      for (const std::size_t k : {0, 1})
        for (const DType dtype : {DType::float32, DType::bfloat16}) {
          const std::size_t width = groups.width;
          add(with_formula(fmt::format("groups_of_{}", width), {rows, groups.count * width}, dtype,
                           kGatedFormulas[k])
                  .why("groups of other magnitudes: statistics of the row, or of another group, "
                       "show in every element")
                  .option("groups", fmt::format("{}", groups.count))
                  .x([=](std::size_t i, double normal) {
                    return std::ldexp(normal, static_cast<int>(i / width % groups.count));
                  }));
        }
  }

  void add_many_group_cases() {
    add(base_recipe("groups_of_2", {3, 64}, DType::float32)
            .why("32 groups of two features: as many groups as a warp has threads")
            .option("groups", "32"));
    add(base_recipe("groups_of_1", {5, 8}, DType::float32)
            .why("groups of one feature: without eps, the norm would be the sign of x")
            .option("groups", "8")
            .option("eps", "0.5"));
  }

  void add_parameter_cases() {
    const Shape shape = {5, 12};
    for (const std::size_t k : {0, 1}) {
      add(with_formula("no_affine", shape, DType::float32, kGatedFormulas[k])
              .why("gamma and beta are absent")
              .no_affine());
      for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
        add(with_formula("gamma_alone", shape, dtype, kGatedFormulas[k])
                .why("without beta, as in most models")
                .option("groups", "2")
                .without("beta"));
    }
    for (const MixedDtypes& mixed : kMixedDtypes)
      add(base_recipe(mixed.reason, shape, mixed.x_dtype)
              .why(mixed.why)
              .set_parameter_dtype(mixed.parameters_dtype));
    add(base_recipe("gamma_zero", shape, DType::float32)
            .why("gamma 0 in some features, negative in others: grad_gamma is not 0 there")
            .parameter("gamma", [](std::size_t i, double normal) {
              return i % 4 == 0 ? 0.0 : (i % 4 == 1 ? -1 : 1) * (0.25 + std::fabs(normal));
            }));
    for (const std::size_t k : {0, 1}) {
      add(with_formula("many_rows", {257, 2}, DType::float32, kGatedFormulas[k])
              .why("gradients of gamma and beta over more rows than a block has threads")
              .grad_y([](std::size_t, double normal) { return 1 + 0.5 * normal; }));
      add(with_formula("one_hot_gradient", {3, 5, 6}, DType::float32, kGatedFormulas[k])
              .why("one element of grad_y is not 0: every other gradient comes through the norm")
              .grad_y([](std::size_t i, double) { return i == 40 ? 3.0 : 0.0; }));
    }
    add(base_recipe("many_rows", {300, 2}, DType::bfloat16)
            .why("gradients of gamma and beta over more rows than a block has threads")
            .grad_y([](std::size_t, double normal) { return 1 + 0.5 * normal; }));
    add(base_recipe("tiny_gradients", {7, 16}, DType::float32)
            .why("gradients near 1e-32: products of two of them vanish")
            .grad_y(scaled_by(1e-32)));
  }

  void add_gate_cases() {
    for (const GatedFormula& formula : kGatedFormulas) {
      add(with_formula("large_gate", {7, 16}, DType::float32, formula)
              .why("gates from 10 to 95 on both sides: an exponential overflows, the sigmoid is 0 "
                   "or 1")
              .gate([](std::size_t i, double) {
                return (i % 3 == 0 ? -1 : 1) *
                       (10 + static_cast<double>(i % 7 * 14) + static_cast<double>(i % 2));
              }));
      add(with_formula("gates_near_zero", {7, 16}, DType::float32, formula)
              .why("gates of 0 and near 0: silu vanishes there, and the sigmoid is 1/2")
              .gate([](std::size_t i, double normal) { return i % 4 == 0 ? 0.0 : normal / 16; }));
    }
  }

  void add_eps_cases() {
    const Shape shape = {7, 16};
    for (const std::size_t k : {0, 1})
      for (const DType dtype : kGatedNormDtypes)
        add(with_formula("near_eps", shape, dtype, kGatedFormulas[k])
                .why("a mean square comparable with eps: eps forgotten, outside the root, or ten "
                     "times as large shows in every element")
                .option("groups", "2")
                .option("eps", "0.3")
                .x(scaled_by(k == 0 ? 0.5 : 0.25)));
    constexpr const char* kClamped = "an eps below the least that some library puts in its place";
    add(base_recipe("eps_1e-12", shape, DType::float32)
            .why(kClamped)
            .option("eps", "1e-12")
            .x(scaled_by(1e-6)));
    add(base_recipe("eps_1e-6", shape, DType::float32)
            .why(kClamped)
            .option("eps", "1e-6")
            .x(scaled_by(1e-3)));
    add(base_recipe("eps_0", shape, DType::float32)
            .why("no eps: nothing is added to the mean of squares")
            .option("eps", "0")
            .x(scaled_by(1e-3)));
    add(base_recipe("zero_rows", shape, DType::float32)
            .why("rows of zeros: y is beta times the activation, and the root is that of eps")
            .option("eps", "1e-3")
            .x([](std::size_t i, double normal) { return i / 16 % 2 == 1 ? 0.0 : normal; }));
  }

  void add_conditioned_cases() {
    const Shape shape = {7, 16};
    for (const std::size_t k : {0, 1}) {
      add(with_formula("magnitude_1e12", shape, DType::float32, kGatedFormulas[k])
              .why("large values whose squares fit float32, and overflow float16")
              .x(scaled_by(1e12)));
      add(with_formula("magnitude_1e-12", shape, DType::float32, kGatedFormulas[k])
              .why("small values whose squares are below eps by far")
              .x(scaled_by(1e-12)));
      add(with_formula("offset_1e4", shape, DType::float32, kGatedFormulas[k])
              .why("large elements that differ by little: the gradient of the norm cancels")
              .x(offset_by(1e4)));
    }
    add(base_recipe("magnitude_1e100", shape, DType::float64)
            .why("values whose squares overflow float32")
            .x(scaled_by(1e100)));
    add(base_recipe("subnormal_gradients", {3, 6}, DType::float32)
            .why(kWhySubnormalFloat32)
            .grad_y(scaled_by(1e-40)));
  }

  void extents() {
    const auto shaped = [&](const char* reason, const char* why, Shape shape) {
      add(base_recipe(reason, std::move(shape), DType::float32).why(why));
    };
    add(base_recipe("one_feature", {2, 5, 1}, DType::float32)
            .why("D = 1: without eps, the norm would be the sign of x")
            .option("eps", "0.5"));
    shaped("two_features", "D = 2", {2, 3, 2});
    shaped("one_row", "N = 1", {1, 6});
    shaped("odd", "odd extents, no multiple of any vector or warp", {7, 9});
    shaped("last_lane", "one element more than a vector of 32", {3, 33});
    for (const std::size_t extent : kQuickGatedNormEdges)
      add(base_recipe("block_edge", {1, extent}, DType::float32).why(kWhyBlockEdge));
    // The last element of a row is so large that a sum without it differs.
    const auto large_at_the_end = [](std::size_t i, double normal) {
      return i % 1025 == 1024 ? 8 + normal : normal;
    };
    add(base_recipe("block_edge", {1, 1025}, DType::float32)
            .why(kWhyBlockEdge)
            .x(large_at_the_end)
            .grad_y(large_at_the_end));
  }

  void add_sixteen_bit_cases() {
    for (const DType dtype : kLowPrecisionGatedNormDtypes) {
      add(base_recipe("magnitude_300", {5, 33}, dtype)
              .why("squares of 9e4, which overflow float16")
              .x(scaled_by(300)));
      add(base_recipe("wide_row", {1, 513}, dtype).why(kWhyWide).x(offset_by(2)));
    }
    add(before("production", {1, 2048}, DType::bfloat16)
            .why("the width of a block of a language model, in 8 groups")
            .option("groups", "8")
            .x(offset_by(2)));
    add(base_recipe("magnitude_2e4", {5, 33}, DType::float16)
            .why("near the largest number of float16: any sum of the row overflows it")
            .x([](std::size_t i, double normal) {
              return (i % 2 == 0 ? 1 : -1) * (2e4 + 100 * normal);
            }));
  }

  void add_not_finite_cases(const Shape& shape) {
    const auto bad = [](std::size_t i, double normal) {
      return i == 13 ? std::numeric_limits<double>::quiet_NaN() : normal;
    };
    for (const std::size_t k : {0, 1}) {
      add(with_formula("nan_in_x", shape, DType::float32, kGatedFormulas[k])
              .why("a NaN reaches its row of y and of the gradients, and grad_gamma")
              .x(bad));
      add(with_formula("nan_in_gate", shape, DType::float32, kGatedFormulas[k])
              .why("a NaN of the gate reaches one element of y, or its row if it comes before the "
                   "norm")
              .gate(bad));
    }
    add(base_recipe("nan_in_grad_y", shape, DType::float32)
            .why("a NaN in grad_y reaches no y, and the gradients that depend on it")
            .grad_y(bad));
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> gated_norm_cases(Tier tier, std::uint64_t seed) {
  GatedNormCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
