#include "verification/golden/recipes/gated_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/swiglu_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kGateDtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};
constexpr DType kHighPrecisionGateDtypes[] = {DType::float64, DType::float32};
constexpr DType kLowPrecisionGateDtypes[] = {DType::bfloat16, DType::float16};
constexpr double kGatedNaN = std::numeric_limits<double>::quiet_NaN();

class GatedCases {
 public:
  GatedCases(Tier tier, std::string_view function, std::uint64_t seed)
      : tier_(tier),
        function_(function),
        seed_(seed),
        gated_(ref::model::operation_info(function).takes("gate")) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    for (const DType dtype : kGateDtypes)
      add(base_recipe("random", {3, 5, 6}, dtype).why("ordinary inputs").x(scaled(2)));
    add(base_recipe("one_hot_gradient", {3, 5, 6}, DType::float32)
            .why("one element of grad_y is not 0")
            .grad_y([](std::size_t i, double) { return i == 7 ? 3.0 : 0.0; }));
    add(base_recipe("odd", {7, 9}, DType::float32)
            .why("odd extents, no multiple of any vector or warp"));
    add(base_recipe("last_lane", {3, 33}, DType::float32)
            .why("one element more than a vector of 32"));
    add(base_recipe("block_edge", {1, 257}, DType::float32).why(kWhyBlockEdge).x(scaled(2)));
    if (gated_) {
      add(base_recipe("wide", {2, 160}, DType::float32)
              .why("several blocks of columns in each operand")
              .x(scaled(2)));
      for (const DType dtype : kLowPrecisionGateDtypes)
        add(base_recipe("wide_16_bits", {2, 96}, dtype)
                .why("several blocks of columns in each operand, in whole vectors of 16 bytes")
                .x(scaled(2)));
    }
    add_near_zero_cases(DType::float32);
    for (const DType dtype : kHighPrecisionGateDtypes) add_tail_cases(dtype);
    add(base_recipe("large", {3, 7}, DType::float32)
            .why("from 80 to 8e4 on both sides: exp overflows beyond 88.7, and is subnormal "
                 "before 103")
            .x([](std::size_t i, double) {
              return (i % 2 == 0 ? -1 : 1) * (i < 14 ? 80 + 2 * static_cast<double>(i)
                                                     : std::ldexp(80.0, static_cast<int>(i) - 10));
            }));
    add_large_sixteen_bit_cases({3, 33});
    add(base_recipe("subnormal_16_bits", {6, 6}, DType::float16)
            .why(kWhySubnormal)
            .x(some_subnormal_elements(2))
            .grad_y(some_subnormal_elements(3)));
    add(base_recipe("near_largest", {3, 6}, DType::float16)
            .why(kWhyNearLargest)
            .x(near_largest)
            .grad_y([](std::size_t, double normal) { return std::tanh(normal) / 2; })
            .gate([](std::size_t i, double) {
              return std::ldexp(1.0, static_cast<int>(i % 3) - 2);
            }));
    add_not_finite_cases();
  }

  void standard() {
    for (const DType dtype : kHighPrecisionGateDtypes) {
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
      add(base_recipe("near_zero", {40, 6}, dtype).why(kWhyNearZero).x(around_zero));
    }
    for (const Tier tier : {Tier::quick, Tier::standard})
      for (const std::size_t extent : block_edge_extents(tier))
        add(base_recipe("block_edge", {3, extent}, DType::float32).why(kWhyBlockEdge).x(scaled(2)));
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
      add(base_recipe("middle", {6, 11}, dtype)
              .why("from -4 to 4 in small steps: approximations of the activation differ here")
              .x([](std::size_t i, double) { return static_cast<double>(i) / 8 - 4; }));
    add_large_sixteen_bit_cases({9, 129});
  }

 private:
  static constexpr const char* kWhyNearZero =
      "0, -0 and values around them: the derivative at 0, and what is lost below it";

  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return {tier_, function_, std::move(reason), std::move(shape), dtype};
  }
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  static Fill scaled(double factor) {
    return [=](std::size_t, double normal) { return factor * normal; };
  }
  static Fill with(std::size_t at, double value) {
    return [=](std::size_t i, double normal) { return i == at ? value : normal; };
  }
  static double around_zero(std::size_t i, double normal) {
    return i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.0 : 0x1p-14 * normal;
  }

  void add_near_zero_cases(DType dtype) {
    add(base_recipe("near_zero", {4, 6}, dtype).why(kWhyNearZero).x(around_zero));
  }

  void add_tail_cases(DType dtype) {
    add(base_recipe("tails", {3, 14}, dtype)
            .why("from 2 to 16 on both sides: where the activation is nearly 0 or x")
            .x([](std::size_t i, double) {
              return (i % 2 == 0 ? 1 : -1) * (2 + static_cast<double>(i) / 3);
            }));
  }

  /// Adds 16-bit cases with large elements. The gate is a power of two, so that the product of gate
  /// and activation is rounded once, whether or not the activation was stored.
  void add_large_sixteen_bit_cases(const Shape& shape) {
    for (const DType dtype : kLowPrecisionGateDtypes)
      add(base_recipe("large_16_bits", shape, dtype)
              .why("elements up to 300: exponentials overflow")
              .x([](std::size_t i, double normal) {
                return std::fmax(-300, std::fmin(300, (i % 2 == 0 ? 100 : 5) * normal));
              })
              .gate([](std::size_t i, double normal) {
                return std::ldexp(normal < 0 ? -1 : 1, static_cast<int>(i % 4) - 2);
              }));
  }

  void add_not_finite_cases() {
    add(base_recipe("nan_in_x", {4, 6}, DType::float32)
            .why("a NaN reaches what depends on it, and nothing else")
            .x(with(13, kGatedNaN)));
    if (gated_)
      add(base_recipe("nan_in_gate", {4, 6}, DType::float32)
              .why("a NaN in gate reaches y and grad_x there, and no grad_gate")
              .gate(with(8, kGatedNaN)));
    add(base_recipe("nan_in_grad_y", {4, 6}, DType::float32)
            .why("a NaN in grad_y reaches no y, and the gradients that depend on it")
            .x(with(2, 1.5))
            .grad_y(with(2, kGatedNaN)));
  }

  Tier tier_;
  std::string_view function_;
  std::uint64_t seed_;
  bool gated_;
  std::vector<Case> cases_;
};

}  // namespace

bool is_silu_or_gated(std::string_view function) {
  const ref::model::OperationInfo& info = ref::model::operation_info(function);
  return ref::model::is_operation_name<ref::model::SiluOptions>(function) ||
         (info.takes("gate") && info.independence == ref::model::Independence::element);
}

std::vector<Case> gated_cases(Tier tier, std::string_view function, std::uint64_t seed) {
  GatedCases cases(tier, function, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  std::vector<Case> all = cases.take();
  if (ref::model::is_operation_name<ref::model::SwigluOptions>(function))
    for (Case& c : swiglu_option_cases(tier, seed)) all.push_back(std::move(c));
  return all;
}

}  // namespace normproof::verification::golden::recipes
