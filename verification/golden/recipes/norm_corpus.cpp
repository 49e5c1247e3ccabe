#include "verification/golden/recipes/norm_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/limit_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/state_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_option;
using corpus::has_statistics;
using corpus::has_statistics_over_rows;
using corpus::is_centered;
using corpus::is_layer_with_options;
using corpus::needs_tokens;
using corpus::Tier;
using corpus::uses_mask;

namespace {

using Shape = std::vector<std::size_t>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

class NormCases {
 public:
  NormCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick(std::string_view layer) {
    plain(layer);
    extents(layer);
    if (has_statistics(layer)) {
      add_gradient_through_statistics_cases(layer);
      conditioned(layer);
      exact(layer);
    } else {
      add_squashing_function_cases(layer);
    }
    add_not_finite_cases(layer);
    if (uses_mask(layer))
      add_padded_cases(layer);
    else
      add_cases_with_ineffective_mask(layer);
    std::ranges::move(state_cases(layer, seed_), std::back_inserter(cases_));
    if (is_layer_with_options<ref::model::LayerNormOptions>(layer)) add_bug_report_cases();
  }

  void standard(std::string_view layer) {
    for (const char* seed : {"a", "b", "c"})
      for (const DType dtype : {DType::float64, DType::float32})
        add(norm_recipe(tier_, layer, fmt::format("random_{}", seed), {4, 9, 30}, dtype)
                .why("random inputs of another seed"));
    for (std::size_t power = 0; has_statistics(layer) && power < std::size(kPowersOfTen); ++power)
      for (const DType dtype : {DType::float64, DType::float32}) {
        if (dtype == DType::float32 && power > 5) continue;
        add(norm_recipe(tier_, layer, fmt::format("offset_1e{}", power),
                        rows_by_features(layer, 17, 24), dtype)
                .why(fmt::format("offset over standard deviation 1e{}: what a formula loses to "
                                 "cancellation",
                                 power))
                .x(offset_by(kPowersOfTen[power])));
      }
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(norm_recipe(tier_, layer, "wide", rows_by_features(layer, 5, 1026), dtype)
              .why("more features than a warp, a wavefront or a block has threads"));
      add(norm_recipe(tier_, layer, "tall", rows_by_features(layer, 1031, 6), dtype)
              .why("more rows than a block has threads, and a prime number of them"));
    }
    std::ranges::move(limit_cases(layer, seed_), std::back_inserter(cases_));
  }

  void full(std::string_view layer) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(norm_recipe(tier_, layer, "past_65535_rows", rows_by_features(layer, 65537, 4), dtype)
              .why("more rows than the y and z extents of a CUDA grid: the last ones are "
                   "forgotten"));
      add(norm_recipe(tier_, layer, "past_65535_features", rows_by_features(layer, 2, 65538), dtype)
              .why("more features than 16 bits count"));
      add(norm_recipe(tier_, layer, "large", rows_by_features(layer, 509, 510), dtype)
              .why("both extents long, neither a multiple of a power of two above 2"));
    }
  }

 private:
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  void plain(std::string_view layer) {
    const Shape shape = {3, 5, 6};
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
      add(norm_recipe(tier_, layer, "random", shape, dtype)
              .why("ordinary inputs: gamma far from 1, beta far from 0, every extent another one"));
    for (const DType dtype : {DType::float64, DType::float32})
      add(norm_recipe(tier_, layer, "no_affine", {4, 3, 6}, dtype)
              .why("gamma and beta are absent")
              .no_affine());
  }

  void add_gradient_through_statistics_cases(std::string_view layer) {
    add(norm_recipe(tier_, layer, "one_hot_gradient", {3, 5, 6}, DType::float32)
            .why(
                "one element of grad_y is not 0: every other gradient comes through the statistics")
            .grad_y([](std::size_t i, double) { return i == 40 ? 3.0 : 0.0; }));
  }

  // Adds cases for a layer that applies a squashing function (tanh) instead of a norm.
  void add_squashing_function_cases(std::string_view layer) {
    const Shape shape = {3, 5, 6};
    const auto with = [&](const char* reason, DType dtype, const char* why) {
      return norm_recipe(tier_, layer, reason, shape, dtype).why(why);
    };
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
      add(with("steep", dtype,
               "arguments far beyond 1: the slope 1 - tanh^2 is small, and exp of twice the "
               "argument is large")
              .x(scaled_by(8)));
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(with("near_zero", dtype,
               "arguments near 0, where tanh is its argument: a quotient of exponentials cancels")
              .x(scaled_by(1e-6)));
      add(with("saturated", dtype,
               "arguments past the range of exp: tanh is 1 or -1 and its slope 0, where a quotient "
               "of exponentials is infinity over infinity")
              .x(scaled_by(1e4)));
    }
    add(with("subnormal_16_bits", DType::float16, kWhySubnormal)
            .x(some_subnormal_elements(2))
            .grad_y(some_subnormal_elements(3)));
    add(with("near_largest", DType::float16, kWhyNearLargest).x(near_largest));
    for (const MixedDtypes& mixed : kMixedDtypes)
      add(with(mixed.reason, mixed.x_dtype, mixed.why).set_parameter_dtype(mixed.parameters_dtype));
    add(with("negative_alpha", DType::float32, "alpha below 0 turns every sign round")
            .parameter("alpha", [](auto, double) { return -0.75; }));
    add(with("other_alpha0", DType::float32,
             "the parameters are absent, and alpha0 is not the default one")
            .no_affine()
            .option("alpha0", "1.5"));
    for (const DType dtype : {DType::float64, DType::float32, DType::float16})
      add(with("exact", dtype,
               "at the origin tanh is 0 and its slope 1: any correct order of operations gives the "
               "same "
               "bits")
              .x([](auto, double) { return 0.0; })
              .grad_y([](std::size_t i, double) { return static_cast<double>(i * 5 % 8) - 3; })
              .parameter("gamma", [](std::size_t i, double) { return i % 3 == 1 ? -0.5 : 2.0; })
              .parameter("beta", [](std::size_t i, double) { return i % 2 == 0 ? -1.5 : 0.5; })
              .parameter("alpha", [](auto, double) { return 0.25; })
              .exact());
  }

  void conditioned(std::string_view layer) {
    const Shape shape = rows_by_features(layer, 7, 16);
    const auto offset = [&](int power, const char* loss, DType dtype) {
      add(norm_recipe(tier_, layer, fmt::format("offset_1e{}", power), shape, dtype)
              .why(fmt::format("offset over standard deviation 1e{}: one-pass variance {}", power,
                               loss))
              .x(offset_by(kPowersOfTen[power])));
    };
    offset(2, "loses a third of its digits", DType::float32);
    offset(4, "in float32 loses all digits", DType::float32);
    offset(8, "in float64 loses all digits", DType::float64);
    if (has_option(layer, "eps")) {
      for (const DType dtype : {DType::float64, DType::float32})
        add(norm_recipe(tier_, layer, "variance_near_eps", shape, dtype)
                .why("variance comparable with eps: eps forgotten, outside the root, or ten times "
                     "as large shows in every element")
                .x(scaled_by(0x1p-8)));
      add(norm_recipe(tier_, layer, "large_eps", shape, DType::float32)
              .why("an eps of 0.5 that is not the default one")
              .option("eps", "0.5"));
    }
    add(norm_recipe(tier_, layer, "near_constant", shape, DType::float32)
            .why("rows and columns whose elements differ in the last places alone")
            .x([](std::size_t i, double normal) {
              return 1 + 0x1p-20 * static_cast<double>(i % 5) + 0x1p-22 * std::round(normal);
            }));
    add(norm_recipe(tier_, layer, "constant", shape, DType::float32)
            .why("every element the same: a variance of 0, or below 0 in one pass")
            .x([](std::size_t, double) { return 0.1; }));
    add(norm_recipe(tier_, layer, "magnitude_1e12", shape, DType::float32)
            .why("large values whose squares fit float32, and overflow float16")
            .x(scaled_by(1e12)));
    add(norm_recipe(tier_, layer, "magnitude_1e-12", shape, DType::float32)
            .why("small values whose squares are below eps by far")
            .x(scaled_by(1e-12)));
  }

  void extents(std::string_view layer) {
    const auto shaped = [&](const char* reason, const char* why, Shape shape) {
      add(norm_recipe(tier_, layer, reason, std::move(shape), DType::float32).why(why));
    };
    shaped("one_feature", "D = 1: a row has no variance", {2, 5, 1});
    shaped("two_features", "D = 2", {2, 3, 2});
    shaped("three_features", "D = 3", {2, 5, 3});
    if (!needs_tokens(layer)) shaped("one_row", "N = 1: a column has no variance", {1, 6});
    shaped("two_rows", "N = 2", rows_by_features(layer, 2, 6));
    shaped("odd", "odd extents, no multiple of any vector or warp",
           rows_by_features(layer, 13, 17));
    shaped("last_lane", "one element more than a vector of 32",
           has_statistics_over_rows(layer) ? rows_by_features(layer, 33, 3)
                                           : rows_by_features(layer, 3, 33));
  }

  // Exact cases: squared statistics are 2.25, and eps makes them 4, so that every operation is
  // exact.
  void exact(std::string_view layer) {
    const auto sign = [layer](std::size_t i) {
      const std::size_t row = i / 8, feature = i % 8;
      return (has_statistics_over_rows(layer) ? row : feature) % 2 == 0 ? 1 : -1;
    };
    const double offset = is_centered(layer) ? 3 : 0;
    const bool limits = has_option(layer, "r_max"),
               scales_groups = has_option(layer, "group_scaling");
    const bool sums =
        is_layer_with_options<ref::model::ScaleNormOptions>(layer);  // sums instead of averaging
    for (const DType dtype : {DType::float64, DType::float32, DType::float16}) {
      // The products of group scaling need more than the 11 digits of float16.
      if (dtype == DType::float16 && has_option(layer, "group_scaling")) continue;
      Recipe recipe = norm_recipe(tier_, layer, "exact", {2, 4, 8}, dtype);
      recipe
          .why(
              "sums, quotients and roots are numbers of the dtype: any correct order of "
              "operations gives the same bits")
          .x([=](std::size_t i, double) { return offset + 1.5 * sign(i); })
          .grad_y([](std::size_t i, double) { return static_cast<double>(i * 5 % 8) - 3; })
          .parameter("gamma", [](std::size_t i, double) { return i % 3 == 1 ? -0.5 : 2.0; })
          .parameter("beta", [](std::size_t i, double) { return static_cast<double>(i % 4) - 1.5; })
          .state("running_mean", [](std::size_t i, double) { return i % 2 == 0 ? 1.0 : -2.0; })
          .state("running_variance", [=](auto, double) { return limits ? 14.25 : 0.25; })
          .state("running_psi2", [=](auto, double) { return scales_groups ? 0.5625 : 2.25; })
          .state("nu", [](std::size_t i, double) { return i % 2 == 0 ? 0.5 : -0.25; });
      if (scales_groups) {
        recipe.option("groups", "1").option("group_eps", "1.75").option("eps", "0.4375");
      } else {
        recipe.option("eps", sums ? "7" : "1.75");
      }
      if (sums) recipe.x([=](std::size_t i, double) { return i % 8 < 4 ? 1.5 * sign(i) : 0.0; });
      if (has_option(layer, "unbiased_running_variance"))
        recipe.option("unbiased_running_variance", "0");
      if (has_option(layer, "running_decay")) recipe.option("running_decay", "0.5");
      if (has_option(layer, "warmup_iterations"))
        recipe.option("alpha_forward", "0.5").option("alpha_backward", "0.5");
      recipe.exact();
      add(recipe);
    }
  }

  void add_not_finite_cases(std::string_view layer) {
    const Shape shape = {3, 4, 6};
    const auto with = [](std::size_t at, double bad) {
      return [=](std::size_t i, double normal) { return i == at ? bad : normal; };
    };
    // min and max may replace NaN by their other argument, and batch_renorm uses them to limit r
    // and d.
    const bool limits = has_option(layer, "r_max");
    if (!limits)
      add(norm_recipe(tier_, layer, "nan_in_x", shape, DType::float32)
              .why("a NaN reaches what depends on it, and nothing else")
              .x(with(31, kNaN)));
    add(norm_recipe(tier_, layer, "nan_in_grad_y", shape, DType::float32)
            .why("a NaN in grad_y reaches no y, and the gradients that depend on it")
            .grad_y(with(31, kNaN)));
    // Without centering, infinity / infinity gives NaN or 0, depending on the order of operations.
    if (is_centered(layer) && !limits)
      add(norm_recipe(tier_, layer, "infinity_in_x", shape, DType::float32)
              .why("infinity minus infinity is NaN in everything that depends on it")
              .x(with(31, kInfinity)));
    if (uses_mask(layer) && !has_option(layer, "group_scaling"))
      add(norm_recipe(tier_, layer, "nan_in_pad", shape, DType::float32)
              .why("what padding holds reaches no statistic")
              .pads([](std::size_t row) { return row % 4 == 3; })
              .x(with(7 * 6 + 2, kNaN)));
  }

  void add_padded_cases(std::string_view layer) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      const auto pad = [](std::size_t row) { return row % 5 >= 3 + (row / 5) % 2; };
      add(norm_recipe(tier_, layer, "pads_1000x", {3, 5, 6}, dtype)
              .why("padding a thousand times as large as the tokens, with gradients of its own")
              .pads(pad)
              .x([pad](std::size_t i, double normal) {
                return pad(i / 6) ? 1000 * normal : normal;
              }));
      add(norm_recipe(tier_, layer, "pads_without_gradient", {3, 5, 6}, dtype)
              .why("padding as in training: its grad_y is 0")
              .pads(pad)
              .grad_y([pad](std::size_t i, double normal) { return pad(i / 6) ? 0 : normal; }));
    }
  }

  void add_cases_with_ineffective_mask(std::string_view layer) {
    add(norm_recipe(tier_, layer, "mask_without_influence", {3, 5, 6}, DType::float32)
            .why(has_statistics(layer)
                     ? "statistics of each row: padding is normalised like any other row, and its "
                       "gradients count"
                     : "no statistics: padding is an element like any other, and its gradients "
                       "count")
            .pads([](std::size_t row) { return row % 5 >= 3; }));
  }

  // Adds inputs of public bug reports, each described in the words of its project.
  void add_bug_report_cases() {
    const auto report = [&](const char* reason, const char* why, Shape shape, Fill x) {
      add(norm_recipe(tier_, "layer_norm", reason, std::move(shape), DType::float32)
              .why(why)
              .x(std::move(x))
              .parameter("gamma", [](auto, double) { return 1.0; })
              .parameter("beta", [](auto, double) { return 0.0; }));
    };
    report("onnxruntime_28463",
           "microsoft/onnxruntime#28463: NaN for large values of small variance", {2, 4},
           [](std::size_t i, double) {
             return (i < 4 ? 40000.0 : 80000.0) + static_cast<double>(i % 4);
           });
    report("onnxruntime_21935", "microsoft/onnxruntime#21935: NaN for 256 elements of 1234",
           {1, 256}, [](auto, double) { return 1234.0; });
    report("tvm_19592", "apache/tvm#19592: NaN for one row of large values", {1, 4},
           [](std::size_t i, double) { return 80000.0 + static_cast<double>(i); });
    report("burn_5607",
           "tracel-ai/burn#5607: rows of a spread of 0.005 around 0, 100, 1000 and 10000", {4, 16},
           [](std::size_t i, double) {
             constexpr double kMeans[] = {0, 100, 1000, 10000};
             return kMeans[i / 16] + static_cast<double>(i % 16) / 1000;
           });
    report("mlx_2238", "ml-explore/mlx#2238: NaN for a row of 16 values near 1449.5", {1, 16},
           [](auto, double normal) { return 1449.5 + 0.5 * normal; });
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> norm_cases(Tier tier, std::string_view layer, std::uint64_t seed) {
  NormCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick(layer);
  if (tier == Tier::standard) cases.standard(layer);
  if (tier == Tier::full) cases.full(layer);
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
