#include "verification/golden/recipes/add_norm_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kAddNormDtypes[] = {DType::float64, DType::float32, DType::float16,
                                    DType::bfloat16};
constexpr DType kHighPrecisionAddNormDtypes[] = {DType::float64, DType::float32};
constexpr DType kLowPrecisionAddNormDtypes[] = {DType::bfloat16, DType::float16};
constexpr std::size_t kQuickAddNormEdges[] = {31, 63, 64, 65, 257};

class AddNormCases {
 public:
  AddNormCases(Tier tier, std::string_view function, std::uint64_t seed)
      : tier_(tier),
        function_(function),
        seed_(seed),
        centred_(ref::model::is_operation_name<ref::model::AddLayerNormOptions>(function)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kAddNormDtypes)
      add(base_recipe("random", {3, 5, 6}, dtype).why("ordinary inputs, every extent another one"));
    add(base_recipe("no_affine", {4, 3, 6}, DType::float32)
            .why("gamma and beta are absent")
            .no_affine());
    if (!centred_)
      for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
        add(base_recipe("gamma_alone", {5, 12}, dtype)
                .why("without beta, as published and as in most models")
                .without("beta"));
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add(base_recipe(kZeroCentred, {5, 12}, dtype)
              .why(kWhyZeroCentred)
              .option("zero_centred_gamma", "1")
              .parameter("gamma", near_zero));
    for (const MixedDtypes& mixed : kMixedDtypes)
      add(base_recipe(mixed.reason, {5, 12}, mixed.x_dtype)
              .why(mixed.why)
              .set_parameter_dtype(mixed.parameters_dtype));
    gradients();
    add_residual_cases();
    add_conditioned_cases();
    extents();
    exact();
    add_sixteen_bit_cases();
    add_not_finite_cases({3, 4, 6});
    for (const std::size_t extent : kQuickAddNormEdges)
      add(base_recipe("block_edge", {1, extent}, DType::float32).why(kWhyBlockEdge));
  }

  void standard() {
    add_not_finite_cases({7, 33});
    for (const DType dtype : kHighPrecisionAddNormDtypes) {
      for (const char* name : {"a", "b", "c"})
        add(base_recipe(fmt::format("random_{}", name), {4, 9, 30}, dtype)
                .why("random inputs of another seed"));
      add(base_recipe("wide", {5, 1026}, dtype)
              .why("more features than a warp, a wavefront or a block has threads"));
      add(base_recipe("tall", {1031, 6}, dtype)
              .why("more rows than a block has threads, and a prime number of them"));
      add(base_recipe("offset_1e4", {17, 24}, dtype).why(kWhyOffset).x(offset_by(1e4)));
    }
    for (const Tier tier : {Tier::quick, Tier::standard})
      for (const std::size_t extent : block_edge_extents(tier))
        add(base_recipe("block_edge", {3, extent}, DType::float32).why(kWhyBlockEdge));
    for (const DType dtype : kLowPrecisionAddNormDtypes) {
      add_many_row_cases({2050, 12}, dtype);
      add(base_recipe("wide_row", {5, 4097}, dtype).why(kWhyWide).x(offset_by(2)));
    }
    add(base_recipe("zeros_in_x", {7, 16}, DType::float32)
            .why("elements of 0 in x and in the residual, and a row of 0")
            .x([](std::size_t i, double normal) { return i % 3 == 0 || i < 16 ? 0 : normal; })
            .parameter("residual", [](std::size_t i, double normal) {
              return i % 4 == 0 || i < 16 ? 0 : normal;
            }));
  }

 private:
  static constexpr const char* kWhyOffset =
      "offset over standard deviation 1e4: a one-pass variance loses all digits of float32";
  static constexpr const char* kWhyWide =
      "a row of real width: sums and squares kept in 16 bits stop growing";

  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return {tier_, function_, std::move(reason), std::move(shape), dtype};
  }
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  void gradients() {
    const Shape shape = {3, 5, 6};
    const auto none = [](std::size_t, double) { return 0.0; };
    add(base_recipe("one_hot_gradient", shape, DType::float32)
            .why("one element of grad_y is not 0, and grad_sum is 0: every other gradient comes "
                 "through the statistics")
            .grad_y([](std::size_t i, double) { return i == 40 ? 3.0 : 0.0; })
            .parameter("grad_sum", none));
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add(base_recipe("gradient_of_the_sum", shape, dtype)
              .why("grad_y is 0: grad_x is grad_sum, and passes no norm")
              .grad_y(none));
    add(base_recipe("large_gradient_of_the_sum", shape, DType::float32)
            .why("grad_sum a thousand times as large as grad_y: what is added early is lost late")
            .parameter("grad_sum", scaled_by(1000)));
    add(base_recipe("tiny_gradients", {7, 16}, DType::float32)
            .why("gradients near 1e-32: products of two of them vanish")
            .grad_y(scaled_by(1e-32))
            .parameter("grad_sum", scaled_by(1e-32)));
    add(base_recipe("gamma_zero", {5, 12}, DType::float32)
            .why("gamma 0 in some features, negative in others: y is beta there, grad_gamma is not "
                 "0")
            .parameter("gamma", [](std::size_t i, double normal) {
              return i % 4 == 0 ? 0.0 : (i % 4 == 1 ? -1 : 1) * (0.25 + std::fabs(normal));
            }));
  }

  void add_residual_cases() {
    const Shape shape = {7, 16};
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      add(base_recipe("large_residual", shape, dtype)
              .why("a residual that has grown over many layers: x is in its last digits")
              .parameter("residual", scaled_by(64)));
    for (const DType dtype : kHighPrecisionAddNormDtypes)
      add(base_recipe("cancelling", shape, dtype)
              .why("x and the residual cancel but for their last digits: statistics of either one "
                   "are others")
              .x([](std::size_t i, double) { return 1000 + static_cast<double>(i % 7); })
              .parameter("residual", [](std::size_t i, double normal) {
                return normal - (1000 + static_cast<double>(i % 7));
              }));
  }

  void add_conditioned_cases() {
    const Shape shape = {7, 16};
    const auto both = [&](std::string reason, double scale, DType dtype, const char* why) {
      return base_recipe(std::move(reason), shape, dtype)
          .why(why)
          .x(scaled_by(scale))
          .parameter("residual", scaled_by(scale));
    };
    constexpr const char* kNearEps =
        "a variance comparable with eps: eps forgotten, outside the root, or ten times as large "
        "shows in every element";
    constexpr const char* kClamped = "an eps below the least that some library puts in its place";
    for (const DType dtype : kAddNormDtypes)
      add(both("variance_near_eps", 0x1p-8, dtype, kNearEps));
    add(both("large_eps", 1, DType::float32, "an eps of 0.5 that is not the default one")
            .option("eps", "0.5"));
    add(both("eps_1e-12", 1e-6, DType::float32, kClamped).option("eps", "1e-12"));
    add(both("eps_1e-6", 1e-3, DType::float32, kClamped).option("eps", "1e-6"));
    add(both("eps_1e-3", 0.03, DType::float32, "a large eps beside a small variance")
            .option("eps", "1e-3"));
    add(both("eps_0", 1e-3, DType::float32, "no eps: nothing is added to the variance")
            .option("eps", "0"));
    add(both("magnitude_1e12", 1e12, DType::float32,
             "large values whose squares fit float32, and overflow float16"));
    add(both("magnitude_1e-12", 1e-12, DType::float32,
             "small values whose squares are below eps by far"));
    add(base_recipe("offset_1e2", shape, DType::float32)
            .why("offset over standard deviation 1e2: a one-pass variance loses a third of its "
                 "digits")
            .x(offset_by(1e2)));
    add(base_recipe("offset_1e4", shape, DType::float32).why(kWhyOffset).x(offset_by(1e4)));
    add(base_recipe("offset_1e8", shape, DType::float64)
            .why("offset over standard deviation 1e8: a one-pass variance in float64 loses all "
                 "digits")
            .x(offset_by(1e8)));
    add(base_recipe("constant", shape, DType::float32)
            .why("every element of the sum the same: a variance of 0, or below 0 in one pass")
            .x([](std::size_t, double) { return 0.1; })
            .parameter("residual", [](std::size_t, double) { return 0.25; }));
  }

  void extents() {
    const auto shaped = [&](const char* reason, const char* why, Shape shape) {
      add(base_recipe(reason, std::move(shape), DType::float32).why(why));
    };
    shaped("one_feature", "D = 1: a row has no variance", {2, 5, 1});
    shaped("two_features", "D = 2", {2, 3, 2});
    shaped("one_row", "N = 1", {1, 6});
    shaped("odd", "odd extents, no multiple of any vector or warp", {7, 9});
    shaped("last_lane", "one element more than a vector of 32", {3, 33});
  }

  // Exact cases: the squared statistic is 2.25, and eps makes it 4. There is none in float16, which
  // has too few digits for grad_x.
  void exact() {
    const double offset = centred_ ? 3 : 0;
    for (const DType dtype : kHighPrecisionAddNormDtypes)
      add(base_recipe("exact", {2, 4, 8}, dtype)
              .why("sums, quotients and roots are numbers of the dtype: any correct order of "
                   "operations gives the same bits")
              .option("eps", "1.75")
              .x([=](std::size_t i, double) {
                return static_cast<double>(i % 5) + (i % 2 == 0 ? offset : -offset);
              })
              .parameter("residual",
                         [=](std::size_t i, double) {
                           return (i % 2 == 0 ? 1.5 : offset + offset - 1.5) -
                                  static_cast<double>(i % 5);
                         })
              .grad_y([](std::size_t i, double) { return static_cast<double>(i * 5 % 8) - 3; })
              .parameter("grad_sum",
                         [](std::size_t i, double) {
                           return static_cast<double>(i * 3 % 7 % 3) / 2 - 0.5;
                         })
              .parameter("gamma", [](std::size_t i, double) { return i % 3 == 1 ? -0.5 : 2.0; })
              .parameter("beta",
                         [](std::size_t i, double) { return static_cast<double>(i % 4) - 1.5; })
              .exact());
  }

  void add_many_row_cases(const Shape& shape, DType dtype) {
    add(base_recipe("many_rows", shape, dtype)
            .why("gradients of gamma and beta over more rows than a block has threads")
            .grad_y([](std::size_t, double normal) { return 1 + 0.5 * normal; }));
  }

  void add_sixteen_bit_cases() {
    const Shape shape = {5, 33};
    for (const DType dtype : kLowPrecisionAddNormDtypes) {
      add(base_recipe("magnitude_300", shape, dtype)
              .why("squares of 9e4, which overflow float16")
              .x(scaled_by(300)));
    }
    add_many_row_cases({300, 2}, DType::bfloat16);
    add_many_row_cases({257, 2}, DType::float32);
    add(base_recipe("wide_row", {1, 513}, DType::float16).why(kWhyWide).x(offset_by(2)));
    add(base_recipe("magnitude_2e4", shape, DType::float16)
            .why("near the largest number of float16: any sum of the row overflows it")
            .x([](std::size_t i, double normal) {
              return (i % 2 == 0 ? 1 : -1) * (2e4 + 100 * normal);
            }));
  }

  void add_not_finite_cases(const Shape& shape) {
    const auto bad = [](std::size_t i, double normal) {
      return i == 31 ? std::numeric_limits<double>::quiet_NaN() : normal;
    };
    add(base_recipe("nan_in_x", shape, DType::float32)
            .why("a NaN reaches its row of y and grad_x, one element of the sum, and grad_gamma")
            .x(bad));
    add(base_recipe("nan_in_residual", shape, DType::float32)
            .why("a NaN of the residual reaches what one of x does")
            .parameter("residual", bad));
    add(base_recipe("nan_in_grad_y", shape, DType::float32)
            .why("a NaN in grad_y reaches no y, and the gradients that depend on it")
            .grad_y(bad));
    add(base_recipe("nan_in_grad_sum", shape, DType::float32)
            .why("a NaN in grad_sum reaches one element of grad_x")
            .parameter("grad_sum", bad));
  }

  Tier tier_;
  std::string_view function_;
  std::uint64_t seed_;
  bool centred_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed) {
  AddNormCases cases(tier, function, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
