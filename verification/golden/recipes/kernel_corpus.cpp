#include "verification/golden/recipes/kernel_corpus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::has_option;
using corpus::has_statistics;
using corpus::has_statistics_over_rows;
using corpus::is_layer_with_options;

namespace {

using Shape = std::vector<std::size_t>;

constexpr DType kSixteenBitDtypes[] = {DType::bfloat16, DType::float16};
constexpr std::size_t kQuickBlockExtents[] = {31, 63, 64, 65, 127, 128, 129, 257};
/// Numbers of features that exceed a block of 512 or 1024 threads by 1.
constexpr std::size_t kQuickWidths[] = {513, 1025};
constexpr std::size_t kStandardBlockExtents[] = {255,  256,  511,  512,  513,
                                                 1023, 1024, 1025, 4097, 8193};
class LayerCases {
 public:
  LayerCases(Tier tier, std::string_view layer, std::uint64_t seed)
      : tier_(tier), layer_(layer), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    if (is_common()) {
      add_edge_cases(block_edge_extents(tier_));
      add_many_row_cases(600, 6);
      wide(3, 1025);
    }
    if (is_computed_per_row()) {
      add_edge_cases(kQuickWidths);
      add_many_float32_rows();
    }
    if (is_layer_with_options<ref::model::GroupNormOptions>(layer_)) add_large_group_cases();
    if (corpus::is_centered(layer_)) add_one_feature_cases();
    add_sixteen_bit_cases();
    parameters();
    if (is_computed_per_row()) add_zero_centered_cases();
    tiny();
    if (has_option(layer_, "eps")) add_case_of_every_eps();
  }

  void standard() {
    add_edge_cases(block_edge_extents(tier_));
    add_many_row_cases(2050, 12);
    wide(5, 4097);
    if (has_option(layer_, "groups"))
      for (const DType dtype : {DType::float32, DType::bfloat16})
        add(base_recipe("groups_32", rows_by_features(layer_, 9, 192), dtype)
                .why("32 groups, as models have, of 6 features each")
                .option("groups", "32"));
  }

 private:
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }
  Recipe base_recipe(std::string reason, Shape shape, DType dtype) const {
    return norm_recipe(tier_, layer_, std::move(reason), std::move(shape), dtype);
  }
  /// Whether the layer is one of those for which most kernels are written. Some cases are added
  /// only for such layers. Other layers have them only in a larger tier, or not at all.
  bool is_common() const {
    return is_layer_with_options<ref::model::LayerNormOptions>(layer_) ||
           is_layer_with_options<ref::model::RMSNormOptions>(layer_) ||
           is_layer_with_options<ref::model::BatchNormOptions>(layer_) ||
           is_layer_with_options<ref::model::GroupNormOptions>(layer_);
  }

  bool is_computed_per_row() const {
    return is_layer_with_options<ref::model::LayerNormOptions>(layer_) ||
           is_layer_with_options<ref::model::RMSNormOptions>(layer_);
  }

  void add_many_float32_rows() {
    add(base_recipe("many_rows", {1031, 3}, DType::float32)
            .why("gradients of gamma and beta over an odd number of rows, more than a block has "
                 "threads"));
  }

  void add_one_feature_cases() {
    add(base_recipe("lone_feature_1e6", {2, 5, 1}, DType::float32)
            .why("D = 1 far from 0: an element less itself is 0, and so is x_hat by row")
            .x(offset_by(1e6)));
  }

  void add_large_group_cases() {
    add(base_recipe("many_samples", {129, 2, 4}, DType::float32)
            .why("more samples than a block of 128 has threads, of two tokens"));
    add(base_recipe("large_group", {1, 683, 6}, DType::float16)
            .why("groups of 2049 elements, a count that float16 does not hold")
            .option("groups", "2"));
  }

  /// Adds a case for each extent of the axis along which the layer computes statistics.
  void add_edge_cases(std::span<const std::size_t> extents) {
    for (const std::size_t extent : extents)
      add(base_recipe("block_edge",
                      has_statistics_over_rows(layer_) ? rows_by_features(layer_, extent, 2)
                                                       : rows_by_features(layer_, 2, extent),
                      DType::float32)
              .why(kWhyBlockEdge)
              .x(offset_by(1)));
  }

  void add_many_row_cases(std::size_t rows, std::size_t features) {
    for (const DType dtype : kSixteenBitDtypes)
      add(base_recipe("many_rows", rows_by_features(layer_, rows, features), dtype)
              .why(
                  "gradients of gamma and beta over many rows: a sum kept in 16 bits stops growing")
              .grad_y([](std::size_t, double normal) { return 1 + 0.5 * normal; }));
  }

  void wide(std::size_t rows, std::size_t features) {
    if (has_statistics_over_rows(layer_)) return;
    for (const DType dtype : kSixteenBitDtypes)
      add(base_recipe("wide_row", rows_by_features(layer_, rows, features), dtype)
              .why("a row of real width: sums and squares kept in 16 bits stop growing")
              .x(offset_by(2)));
  }

  void add_sixteen_bit_cases() {
    const Shape shape = rows_by_features(layer_, 5, 66);
    const auto with = [&](const char* reason, DType dtype, const char* why, Fill x) {
      add(base_recipe(reason, shape, dtype).why(why).x(std::move(x)));
    };
    for (const DType dtype : kSixteenBitDtypes) {
      with("magnitude_300", dtype, "squares of 9e4, which overflow float16", scaled_by(300));
      with("offset_30", dtype, "an offset of 30 standard deviations, most digits of 16 bits",
           offset_by(30));
      with("variance_near_eps", dtype,
           "variance comparable with eps, whose square root has no digits in 16 bits",
           scaled_by(0x1p-8));
    }
    // PowerNorm divides by the running psi of other batches, so y would overflow.
    if (has_option(layer_, "warmup_iterations")) return;
    with("magnitude_2e4", DType::float16,
         "near the largest number of float16: any sum overflows it",
         [](std::size_t i, double normal) { return (i % 2 == 0 ? 1 : -1) * (2e4 + 100 * normal); });
  }

  void parameters() {
    add(base_recipe("gamma_zero", rows_by_features(layer_, 5, 12), DType::float32)
            .why("gamma 0 in some features, negative in others: y is beta there, grad_gamma is not "
                 "0")
            .parameter("gamma", [](std::size_t i, double normal) {
              return i % 4 == 0 ? 0.0 : (i % 4 == 1 ? -1 : 1) * (0.25 + std::fabs(normal));
            }));
    if (is_common())
      for (const MixedDtypes& mixed : kMixedDtypes)
        add(base_recipe(mixed.reason, rows_by_features(layer_, 5, 12), mixed.x_dtype)
                .why(mixed.why)
                .set_parameter_dtype(mixed.parameters_dtype));
    if (corpus::adds_beta_after_storing(layer_))
      for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
        add(base_recipe("gamma_alone", rows_by_features(layer_, 5, 12), dtype)
                .why("without beta, as published and as in most models")
                .without("beta"));
  }

  void add_zero_centered_cases() {
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add(base_recipe(kZeroCentred, {5, 12}, dtype)
              .why(kWhyZeroCentred)
              .option("zero_centred_gamma", "1")
              .parameter("gamma", near_zero));
  }

  void tiny() {
    add(base_recipe("tiny_gradients", rows_by_features(layer_, 7, 16), DType::float32)
            .why("gradients near 1e-32: products of two of them vanish")
            .grad_y(scaled_by(1e-32)));
    add(base_recipe("subnormal_16_bits", rows_by_features(layer_, 3, 6), DType::float16)
            .why(kWhySubnormal)
            .grad_y(scaled_by(0x1p-17)));
    if (!is_common()) return;
    add(base_recipe("subnormal_gradients", rows_by_features(layer_, 3, 6), DType::float32)
            .why(kWhySubnormalFloat32)
            .grad_y(scaled_by(1e-40)));
    add(base_recipe("subnormal_x", rows_by_features(layer_, 3, 6), DType::float32)
            .why(kWhySubnormalFloat32)
            .no_affine()
            .x(scaled_by(1e-41)));
  }

  void add_case_of_every_eps() {
    const Shape shape = rows_by_features(layer_, 7, 16);
    const auto with = [&](const char* reason, const char* eps, double scale, DType dtype,
                          const char* why) {
      add(base_recipe(reason, shape, dtype).why(why).option("eps", eps).x(scaled_by(scale)));
    };
    constexpr const char* kClamped = "an eps below the least that some library puts in its place";
    with("eps_1e-12", "1e-12", 1e-6, DType::float32, kClamped);
    with("eps_1e-8", "1e-8", 1e-4, DType::float32, kClamped);
    with("eps_1e-6", "1e-6", 1e-3, DType::float32, kClamped);
    with("eps_1e-3", "1e-3", 0.03, DType::float32, "a large eps beside a small variance");
    with("eps_of_bfloat16", "0.0078125", 0.1, DType::bfloat16, "the dtype's own epsilon");
    if (is_layer_with_options<ref::model::LayerNormOptions>(layer_) ||
        is_layer_with_options<ref::model::RMSNormOptions>(layer_))
      with("eps_0", "0", 1e-3, DType::float32, "no eps: nothing is added to the variance");
  }

  Tier tier_;
  std::string_view layer_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::span<const std::size_t> block_edge_extents(Tier tier) {
  if (tier == Tier::quick) return kQuickBlockExtents;
  if (tier == Tier::standard) return kStandardBlockExtents;
  return {};
}

std::vector<Case> kernel_cases(Tier tier, std::string_view layer, std::uint64_t seed) {
  if (!has_statistics(layer)) return {};
  LayerCases cases(tier, layer, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
