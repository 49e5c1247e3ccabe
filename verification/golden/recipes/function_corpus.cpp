#include "verification/golden/recipes/function_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/activation_corpus.hpp"
#include "verification/golden/recipes/add_norm_corpus.hpp"
#include "verification/golden/recipes/attention_corpus.hpp"
#include "verification/golden/recipes/cross_entropy_corpus.hpp"
#include "verification/golden/recipes/gated_corpus.hpp"
#include "verification/golden/recipes/gated_norm_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/l2_norm_corpus.hpp"
#include "verification/golden/recipes/merge_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"
#include "verification/golden/recipes/recipe.hpp"
#include "verification/golden/recipes/rope_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::Tier;

namespace {

using Shape = std::vector<std::size_t>;

class FunctionCases {
 public:
  FunctionCases(Tier tier, std::string_view function, std::uint64_t seed)
      : tier_(tier),
        function_(function),
        seed_(seed),
        info_(ref::model::operation_info(function)),
        sums_(info_.independence == ref::model::Independence::row),
        squares_(ref::model::is_operation_name<ref::model::ReluSquaredOptions>(function)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
      add(base_recipe("random", {3, 5, 6}, dtype).why("ordinary inputs").x(scaled(2)));
    add(base_recipe("one_hot_gradient", {3, 5, 6}, DType::float32)
            .why("one element of grad_y is not 0")
            .grad_y([](std::size_t i, double) { return i == 7 ? 3.0 : 0.0; }));
    add(base_recipe("odd", {13, 17}, DType::float32)
            .why("odd extents, no multiple of any vector or warp"));
    add(base_recipe("last_lane", {3, 33}, DType::float32)
            .why("one element more than a vector of 32"));
    add_block_cases(1025, 33);
    if (sums_)
      sums();
    else
      add_activation_cases();
    add(base_recipe("subnormal_16_bits", {6, 6}, DType::float16)
            .why(kWhySubnormal)
            .x(sums_ ? scaled(1) : some_subnormal_elements(2))
            .grad_y(sums_ ? scaled(0x1p-17) : some_subnormal_elements(3)));
    if (!sums_)
      add(base_recipe("subnormal_x", {3, 6}, DType::float32)
              .why(kWhySubnormalFloat32)
              .x(scaled(1e-40)));
    add(base_recipe("near_largest", {3, 6}, DType::float16)
            .why(kWhyNearLargest)
            .x(squares_ ? root_of_near_largest : near_largest));
    if (info_.has_mask_operand()) masked();
    if (ref::model::is_operation_name<ref::model::ReluOptions>(function_))
      add(base_recipe("minus_infinity", {4, 6}, DType::float32)
              .why("-infinity becomes 0, and so does its gradient; a product of it with 0 is NaN")
              .x(excluded_elements));
    // max(NaN, 0) and `x > 0 ? x : 0` give different results
    if (!info_.gradient_compares_x)
      cases_.push_back(base_recipe("nan_in_x", {4, 6}, DType::float32)
                           .why("a NaN reaches what depends on it, and nothing else")
                           .x(with(13, std::numeric_limits<double>::quiet_NaN()))
                           .make(seed_));
    if (sums_)
      cases_.push_back(base_recipe("row_of_nan", {3, 6}, DType::float32)
                           .why("a row of NaN alone: a maximum that drops NaN finds no element")
                           .x([](std::size_t i, double normal) {
                             return i / 6 == 1 ? std::numeric_limits<double>::quiet_NaN() : normal;
                           })
                           .make(seed_));
    if (sums_ && info_.infinite_elements == ref::model::InfiniteElements::minus_infinity_is_a_limit)
      for (const DType dtype : {DType::float32, DType::bfloat16})
        cases_.push_back(base_recipe("minus_infinity_logits", {4, 6}, dtype)
                             .why("-infinity excludes an element, as masks do: the first one of a "
                                  "row, the last ones, all but one")
                             .x(excluded_elements)
                             .make(seed_));
    // The outputs of softmax would take twice as many bytes.
    if (ref::model::is_operation_name<ref::model::LogSumExpOptions>(function_))
      add_late_maximum(1, 2056, DType::float16);
    cases_.push_back(base_recipe("nan_in_grad_y", {4, 6}, DType::float32)
                         .why("a NaN in grad_y reaches no y, and the gradients that depend on it")
                         .x(with(2, 1.5))
                         .grad_y(with(2, std::numeric_limits<double>::quiet_NaN()))
                         .make(seed_));
  }

  /// Returns -infinity at elements of a matrix with six columns: in row 1 the first and the fourth,
  /// in row 2 all but the fifth, in row 3 the last two.
  static double excluded_elements(std::size_t i, double normal) {
    const std::size_t row = i / 6, column = i % 6;
    const bool excluded = row == 1   ? column % 3 == 0
                          : row == 2 ? column != 4
                          : row == 3 ? column >= 4
                                     : false;
    return excluded ? -std::numeric_limits<double>::infinity() : normal;
  }

  void standard() {
    add_block_cases(4097, 129);
    for (const DType dtype : {DType::float64, DType::float32}) {
      for (const char* name : {"a", "b", "c"})
        add(base_recipe(fmt::format("random_{}", name), {4, 9, 30}, dtype)
                .why("random inputs of another seed")
                .x(scaled(3)));
      add(base_recipe("wide", {5, 1026}, dtype)
              .why("more features than a warp, a wavefront or a block has threads"));
      add(base_recipe("tall", {1031, 6}, dtype)
              .why("more rows than a block has threads, and a prime number of them"));
      add(base_recipe("rank_4", {2, 3, 5, 7}, dtype)
              .why("two axes of samples: rows are all but the last"));
      add(base_recipe("single", {1, 1}, dtype).why("one element in all"));
      add(base_recipe("long_row", {1, 4099}, dtype)
              .why("one row of a prime number of elements: errors of a sum add up")
              .x(scaled(0.5)));
      if (sums_) add_standard_tier_sums(dtype);
    }
    if (sums_)
      for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
        add_late_maximum(3, 4104, dtype);
  }

  void full() {
    for (const DType dtype : {DType::float64, DType::float32}) {
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
  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return {tier_, function_, std::move(reason), std::move(shape), dtype};
  }

  /// Adds a case. Cases of relu are exact, because its outputs are inputs or 0 and nothing is
  /// rounded.
  void add(Recipe recipe) {
    if (ref::model::is_operation_name<ref::model::ReluOptions>(function_)) recipe.exact();
    cases_.push_back(recipe.make(seed_));
  }

  static Fill scaled(double factor, double offset = 0) {
    return [=](std::size_t, double normal) { return offset + factor * normal; };
  }
  static Fill with(std::size_t at, double value) {
    return [=](std::size_t i, double normal) { return i == at ? value : normal; };
  }

  /// Adds cases that are hard for kernels. `wide` and `middling` are the lengths of rows in 16-bit
  /// cases.
  void add_block_cases(std::size_t wide, std::size_t middling) {
    for (const std::size_t extent : block_edge_extents(tier_))
      add(base_recipe("block_edge", {3, extent}, DType::float32).why(kWhyBlockEdge).x(scaled(2)));
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      if (sums_)
        add(base_recipe("wide_row", {3, wide}, dtype)
                .why("a row of real width: a sum of exponentials kept in 16 bits stops growing")
                .x(scaled(0.5)));
      add(base_recipe("large_16_bits", {9, middling}, dtype)
              .why("elements up to about 300: exponentials overflow, and cubes")
              .x(scaled(squares_ ? 50 : 100)));
    }
  }

  /// Returns a number whose square is near the largest one of float16.
  static double root_of_near_largest(std::size_t i, double normal) {
    const double v = near_largest(i, normal);
    return std::copysign(std::sqrt(std::fabs(v)), v);
  }

  void sums() {
    for (const auto& [shape, reason, why] :
         {std::tuple<Shape, const char*, const char*>{
              {2, 5, 1}, "one_feature", "D = 1: a single element takes all"},
          {{2, 3, 2}, "two_features", "D = 2"},
          {{1, 6}, "one_row", "N = 1"}})
      add(base_recipe(reason, shape, DType::float32).why(why));
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(base_recipe("offset_1e4", {7, 16}, dtype)
              .why("large elements that differ by little: exp overflows unless the largest is "
                   "subtracted")
              .x(scaled(1, 1e4)));
      add(base_recipe("offset_minus_1e4", {7, 16}, dtype)
              .why("every exponential vanishes unless the largest element is subtracted")
              .x(scaled(1, -1e4)));
      add(base_recipe("offset_minus_1e5", {7, 16}, dtype)
              .why("elements near -1e5, below what stands for minus infinity in some kernels")
              .x(scaled(1, -1e5)));
      add(base_recipe("saturated", {7, 16}, dtype)
              .why("differences of a hundred: most exponentials vanish beside the largest")
              .x(scaled(100)));
    }
    add(base_recipe("constant", {3, 7}, DType::float32)
            .why("every element the same: 1/7 each")
            .x([](std::size_t, double) { return 0.3; }));
  }

  /// Adds a case whose rows have their largest elements at the end. Unless the largest of them is
  /// subtracted, their exponentials overflow float32.
  void add_late_maximum(std::size_t rows, std::size_t features, DType dtype) {
    add(base_recipe("late_maximum", {rows, features}, dtype)
            .why("the largest elements lie past column 2048: exp of 200 overflows unless they are "
                 "found")
            .x([features](std::size_t i, double normal) {
              return i % features + 6 >= features ? 200 + normal : normal;
            }));
  }

  void add_standard_tier_sums(DType dtype) {
    add(base_recipe("zeros_in_x", {7, 16}, dtype)
            .why("elements of 0, and a row of 0")
            .x([](std::size_t i, double normal) { return i % 3 == 0 || i < 16 ? 0 : normal; }));
    for (const double offset : {1e2, 1e6})
      add(base_recipe(offset < 1e3 ? "offset_1e2" : "offset_1e6", {17, 24}, dtype)
              .why("rows far from 0: exp of their elements overflows")
              .x(scaled(1, offset)));
    add(base_recipe("one_large_element", {9, 40}, dtype)
            .why("one element of each row takes nearly all, each row at another place")
            .x([](std::size_t i, double normal) {
              return i % 40 == i / 40 * 7 % 40 ? 30 + normal : normal;
            }));
    if (info_.has_mask_operand())
      add(base_recipe("masked_to_one", {7, 33}, dtype)
              .why("one element of each row takes part")
              .masked([](std::size_t i) { return i % 33 != i / 33 * 5 % 33; }));
  }

  void masked() {
    const auto takes_part = [](std::size_t i) { return i % 6 % 4 != 2 && i % 5 != 3; };
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(base_recipe("masked", {4, 5, 6}, dtype)
              .why("some elements take no part, others in each row")
              .masked([=](std::size_t i) { return !takes_part(i); }));
      add(base_recipe("masked_1e6", {4, 5, 6}, dtype)
              .why("elements that take no part are larger than all others")
              .masked([=](std::size_t i) { return !takes_part(i); })
              .x([=](std::size_t i, double normal) { return takes_part(i) ? normal : 1e6; }));
    }
    if (ref::model::is_operation_name<ref::model::SoftmaxOptions>(function_))
      add(base_recipe("row_without_elements", {3, 6}, DType::float32)
              .why("in the second row none takes part: zeros, and no NaN")
              .masked([](std::size_t i) { return i / 6 == 1; }));
  }

  void add_activation_cases() {
    for (const DType dtype : {DType::float64, DType::float32}) {
      add(base_recipe("near_zero", {4, 6}, dtype)
              .why("0, -0 and values around them: the derivative at 0, and what is lost below it")
              .x([](std::size_t i, double normal) {
                return i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.0 : 0x1p-14 * normal;
              }));
      add(base_recipe("tails", {5, 12}, dtype)
              .why("from 2 to 12 on both sides: where the gate is nearly 0 or 1")
              .x([](std::size_t i, double) {
                return (i % 2 == 0 ? 1 : -1) * (2 + static_cast<double>(i) / 6);
              }));
    }
    add(base_recipe("large", {3, 7}, DType::float32)
            .why("large arguments: the cube fits float32, and overflows float16")
            .x(scaled(1e4)));
    add(base_recipe("large", {3, 7}, DType::float64)
            .why(
                "arguments of hundreds: the gate is 0 or 1, and an exponential of twice their cube "
                "overflows")
            .x(scaled(100)));
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
      add(base_recipe("middle", {6, 11}, dtype)
              .why("from -4 to 4 in small steps: approximations of the gate differ here")
              .x([](std::size_t i, double) { return static_cast<double>(i) / 8 - 4; }));
    for (const DType dtype : {DType::float16, DType::bfloat16})
      add(base_recipe("tails_16_bits", {5, 12}, dtype)
              .why(
                  "from 12 to 40 on both sides: the cube overflows float16, and the gate is 0 or 1")
              .x([](std::size_t i, double) {
                return (i % 2 == 0 ? 1 : -1) * (12 + static_cast<double>(i) / 2);
              }));
  }

  Tier tier_;
  std::string_view function_;
  std::uint64_t seed_;
  const ref::model::OperationInfo& info_;
  bool sums_;     ///< whether the function sums the elements of a row; if not, it is elementwise
  bool squares_;  ///< whether y is a square, which overflows 16 bits for smaller elements
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> function_cases(Tier tier, std::string_view function, std::uint64_t seed) {
  if (is_quantization(function)) return {};
  if (ref::model::is_operation_name<ref::model::AttentionOptions>(function))
    return attention_cases(tier, seed);
  if (ref::model::operation_info(function).takes("residual"))
    return add_norm_cases(tier, function, seed);
  if (ref::model::is_operation_name<ref::model::CrossEntropyOptions>(function))
    return cross_entropy_cases(tier, seed);
  if (ref::model::is_operation_name<ref::model::RopeOptions>(function))
    return rope_cases(tier, seed);
  if (ref::model::is_operation_name<ref::model::MergeAttentionStatesOptions>(function))
    return merge_cases(tier, seed);
  if (ref::model::is_operation_name<ref::model::L2NormOptions>(function))
    return l2_norm_cases(tier, seed);
  if (ref::model::is_operation_name<ref::model::GatedRMSNormOptions>(function))
    return gated_norm_cases(tier, seed);
  if (is_silu_or_gated(function)) return gated_cases(tier, function, seed);
  FunctionCases cases(tier, function, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  if (tier == Tier::full) cases.full();
  std::vector<Case> all = cases.take();
  for (Case& c : activation_cases(tier, function, seed)) all.push_back(std::move(c));
  return all;
}

}  // namespace normproof::verification::golden::recipes
