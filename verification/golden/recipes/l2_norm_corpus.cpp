#include "verification/golden/recipes/l2_norm_corpus.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kL2NormDtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};
constexpr DType kHighPrecisionL2NormDtypes[] = {DType::float64, DType::float32};
constexpr DType kLowPrecisionL2NormDtypes[] = {DType::bfloat16, DType::float16};
constexpr const char* kPlacements[] = {"inside", "outside", "floor"};
constexpr std::size_t kQuickL2NormEdges[] = {31, 63, 64, 65, 257};

class L2NormCases {
 public:
  L2NormCases(Tier tier, std::uint64_t seed) : tier_(tier), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kL2NormDtypes)
      add(base_recipe("random", {3, 5, 6}, dtype).why("ordinary inputs, every extent another one"));
    for (const char* placement : {"outside", "floor"})
      for (const DType dtype : {DType::float32, DType::bfloat16})
        add(recipe_with_eps_placement("random", {3, 5, 6}, dtype, placement)
                .why("ordinary inputs"));
    for (const DType dtype : kL2NormDtypes) near_eps(dtype);
    add_other_eps_cases();
    zeros();
    conditioned();
    extents();
    add_sixteen_bit_cases();
    subnormal();
    add_not_finite_cases({4, 6});
  }

  void standard() {
    add_not_finite_cases({7, 33});
    for (const DType dtype : kHighPrecisionL2NormDtypes) {
      for (const char* placement : kPlacements)
        add(recipe_with_eps_placement("random_a", {4, 9, 30}, dtype, placement)
                .why("random inputs of another seed"));
      for (const char* name : {"b", "c"})
        add(base_recipe(fmt::format("random_{}", name), {4, 9, 30}, dtype)
                .why("random inputs of another seed"));
      add(base_recipe("wide", {5, 1026}, dtype)
              .why("more features than a warp, a wavefront or a block has threads"));
      add(base_recipe("tall", {1031, 6}, dtype)
              .why("more rows than a block has threads, and a prime number of them"));
      add(base_recipe("rank_4", {2, 3, 5, 7}, dtype)
              .why("two axes of samples: rows are all but the last"));
      add(base_recipe("single", {1, 1}, dtype).why("one element in all"));
      add(base_recipe("long_row", {1, 4099}, dtype)
              .why("one row of a prime number of elements: errors of a sum add up"));
      add(base_recipe("offset_1e4", {17, 24}, dtype).why(kWhyOffset).x(offset_by(1e4)));
    }
    for (const Tier tier : {Tier::quick, Tier::standard})
      for (const std::size_t extent : block_edge_extents(tier))
        add(base_recipe("block_edge", {3, extent}, DType::float32).why(kWhyBlockEdge));
    for (const DType dtype : kLowPrecisionL2NormDtypes)
      add(base_recipe("wide_row", {5, 4097}, dtype).why(kWhyWide));
  }

  void full() {
    for (const DType dtype : kHighPrecisionL2NormDtypes) {
      add(base_recipe("past_65535_rows", {65537, 4}, dtype)
              .why("more rows than the y and z extents of a CUDA grid: the last ones are "
                   "forgotten"));
      add(base_recipe("past_65535_features", {2, 65538}, dtype)
              .why("more features than 16 bits count"));
      add(base_recipe("large", {509, 510}, dtype)
              .why("both extents long, neither a multiple of a power of two above 2"));
    }
  }

 private:
  static constexpr const char* kWhyOffset =
      "large elements that differ by little: the gradient is nearly along the row, and cancels";
  static constexpr const char* kWhyWide =
      "a row of real width: a sum of squares kept in 16 bits stops growing";

  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return {tier_, "l2_norm", std::move(reason), std::move(shape), dtype};
  }
  /// Starts the recipe of a case with this placement of eps. The placement becomes a part of the
  /// name of the case, unless it is the first of kPlacements.
  Recipe recipe_with_eps_placement(const char* reason, Shape shape, DType dtype,
                                   std::string_view placement) const {
    const std::string name =
        placement == kPlacements[0] ? reason : fmt::format("{}_{}", reason, placement);
    Recipe recipe = base_recipe(name, std::move(shape), dtype);
    recipe.option("eps_placement", placement);
    return recipe;
  }
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  void near_eps(DType dtype) {
    for (const char* placement : kPlacements) {
      // Sums of squares, or norms, lie between a quarter of eps and four times eps.
      const double scale = std::string_view(placement) == kPlacements[0] ? 0.135 : 0.075;
      add(recipe_with_eps_placement("near_eps", {7, 16}, dtype, placement)
              .why("norms comparable with eps: eps forgotten, at another place, or ten times as "
                   "large shows in every element")
              .option("eps", "0.3")
              .x([=](std::size_t i, double normal) {
                return scale * normal * (i / 16 % 2 == 0 ? 2 : 0.5);
              }));
    }
  }

  void add_other_eps_cases() {
    const Shape shape = {7, 16};
    add(base_recipe("eps_1e-12", shape, DType::float32)
            .why("an eps below the least that some library puts in its place")
            .option("eps", "1e-12")
            .x(scaled_by(2e-7)));
    add(base_recipe("eps_0", shape, DType::float32)
            .why("no eps: nothing is added to the sum of squares")
            .option("eps", "0")
            .x(scaled_by(1e-3)));
    for (const char* placement : {"outside", "floor"})
      add(recipe_with_eps_placement("eps_1e-12", shape, DType::float32, placement)
              .why("norms near the eps of normalize in PyTorch, whose square is no eps")
              .option("eps", "1e-12")
              .x([](std::size_t i, double normal) {
                return 3e-13 * normal * (i / 16 % 2 == 0 ? 2 : 0.5);
              }));
  }

  void zeros() {
    const auto row_of_zeros = [](std::size_t i, double normal) {
      return i / 6 % 2 == 1 ? 0.0 : normal;
    };
    const auto add_case_with_zeros = [&](DType dtype, const char* placement, const char* eps) {
      add(recipe_with_eps_placement("zero_rows", {4, 6}, dtype, placement)
              .why("rows of zeros: y is 0, and the gradient is grad_y by eps or its root")
              .option("eps", eps)
              .x(row_of_zeros));
    };
    for (const char* placement : kPlacements)
      add_case_with_zeros(DType::float32, placement, "1e-3");
    add_case_with_zeros(DType::float64, "inside", "1e-6");
    for (const DType dtype : kLowPrecisionL2NormDtypes)
      for (const char* placement : kPlacements) add_case_with_zeros(dtype, placement, "1e-3");
    add(base_recipe("zeros_in_x", {7, 16}, DType::float32)
            .why("elements of 0 in every row")
            .x([](std::size_t i, double normal) { return i % 3 == 0 ? 0.0 : normal; }));
  }

  void conditioned() {
    const Shape shape = {7, 16};
    add(base_recipe("offset_1e4", shape, DType::float32).why(kWhyOffset).x(offset_by(1e4)));
    add(base_recipe("offset_1e8", shape, DType::float64).why(kWhyOffset).x(offset_by(1e8)));
    add(base_recipe("magnitude_1e12", shape, DType::float32)
            .why("large values whose squares fit float32, and overflow float16")
            .x(scaled_by(1e12)));
    add(base_recipe("magnitude_1e-12", shape, DType::float32)
            .why("small values whose squares are below eps by far")
            .x(scaled_by(1e-12)));
    add(base_recipe("magnitude_1e100", shape, DType::float64)
            .why("values whose squares overflow float32")
            .x(scaled_by(1e100)));
    add(base_recipe("one_large_element", {9, 40}, DType::float32)
            .why("one element of each row is nearly the whole norm, each row at another place")
            .x([](std::size_t i, double normal) {
              return i % 40 == i / 40 * 7 % 40 ? 100 + normal : normal;
            }));
    add(base_recipe("one_hot_gradient", {3, 5, 6}, DType::float32)
            .why("one element of grad_y is not 0: every other gradient comes through the norm")
            .grad_y([](std::size_t i, double) { return i == 40 ? 3.0 : 0.0; }));
    add(base_recipe("tiny_gradients", shape, DType::float32)
            .why("gradients near 1e-32: products of two of them vanish")
            .grad_y(scaled_by(1e-32)));
  }

  void extents() {
    const auto shaped = [&](const char* reason, const char* why, Shape shape) {
      add(base_recipe(reason, std::move(shape), DType::float32).why(why));
    };
    shaped("one_feature", "D = 1: y is the sign of x, and its derivative nearly 0", {2, 5, 1});
    shaped("two_features", "D = 2", {2, 3, 2});
    shaped("one_row", "N = 1", {1, 6});
    shaped("odd", "odd extents, no multiple of any vector or warp", {7, 9});
    shaped("last_lane", "one element more than a vector of 32", {3, 33});
    for (const std::size_t extent : kQuickL2NormEdges)
      add(base_recipe("block_edge", {1, extent}, DType::float32).why(kWhyBlockEdge));
  }

  void add_sixteen_bit_cases() {
    for (const DType dtype : kLowPrecisionL2NormDtypes) {
      add(base_recipe("magnitude_300", {5, 33}, dtype)
              .why("squares of 9e4, which overflow float16")
              .x(scaled_by(300)));
      add(base_recipe("wide_row", {1, 513}, dtype).why(kWhyWide));
    }
    add(base_recipe("magnitude_2e4", {5, 33}, DType::float16)
            .why("near the largest number of float16: any sum of the row overflows it")
            .x([](std::size_t i, double normal) {
              return (i % 2 == 0 ? 1 : -1) * (2e4 + 100 * normal);
            }));
    add(base_recipe("near_largest", {3, 6}, DType::float16).why(kWhyNearLargest).x(near_largest));
  }

  void subnormal() {
    add(base_recipe("subnormal_16_bits", {6, 6}, DType::float16)
            .why(kWhySubnormal)
            .option("eps", "1e-3")
            .x(some_subnormal_elements(2))
            .grad_y(some_subnormal_elements(3)));
    // With eps outside the root, the derivative has 1/n, and n is unknown if every square
    // underflows.
    for (const char* placement : {"inside", "floor"})
      add(recipe_with_eps_placement("subnormal_x", {3, 6}, DType::float32, placement)
              .why(kWhySubnormalFloat32)
              .option("eps", "1")
              .x(scaled_by(1e-40)));
    add(base_recipe("subnormal_gradients", {3, 6}, DType::float32)
            .why(kWhySubnormalFloat32)
            .grad_y(scaled_by(1e-40)));
  }

  void add_not_finite_cases(const Shape& shape) {
    const auto bad = [](double value) {
      return [=](std::size_t i, double normal) { return i == 13 ? value : normal; };
    };
    constexpr double kL2NormNaN = std::numeric_limits<double>::quiet_NaN();
    add(base_recipe("nan_in_x", shape, DType::float32)
            .why("a NaN reaches its row of y and grad_x, and nothing else")
            .x(bad(kL2NormNaN)));
    add(recipe_with_eps_placement("nan_in_x", shape, DType::float32, "floor")
            .why("a NaN reaches its row of y and grad_x: a maximum that drops it finds eps")
            .x(bad(kL2NormNaN)));
    add(base_recipe("nan_in_grad_y", shape, DType::float32)
            .why("a NaN in grad_y reaches no y, and its row of grad_x")
            .grad_y(bad(kL2NormNaN)));
  }

  Tier tier_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> l2_norm_cases(Tier tier, std::uint64_t seed) {
  L2NormCases cases(tier, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  if (tier == Tier::full) cases.full();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
