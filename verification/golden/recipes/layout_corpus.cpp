#include "verification/golden/recipes/layout_corpus.hpp"

#include <string>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::has_state;
using corpus::Tier;

namespace {

constexpr const char* kFirst = "channels_first";
constexpr const char* kLast = "channels_last";
constexpr const char* kWhyFirst =
    "channels behind the samples: statistics over the wrong axis, a gamma of the column, groups of "
    "pixels";
constexpr const char* kWhyLast =
    "channels behind the pixels: a kernel that takes them to be behind the samples";

constexpr const char* kWhyMany =
    "more channels than a warp has lanes: gamma and the groups of the later channels are lost";

/// The extents of an image.
struct Image {
  std::size_t samples, channels, height, width;
};

class LayoutCases {
 public:
  LayoutCases(Tier tier, std::string_view layer, std::uint64_t seed)
      : tier_(tier), layer_(layer), seed_(seed) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    constexpr Image kSmall = {2, 6, 3, 5};
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      add(base_recipe(kFirst, kFirst, kSmall, dtype).why(kWhyFirst));
      add(base_recipe(kLast, kLast, kSmall, dtype).why(kWhyLast));
    }
    add(base_recipe("channels_first_one_pixel", kFirst, {4, 6, 1, 1}, DType::float32)
            .why("one pixel: each channel of a sample is one element"));
    if (corpus::has_option(layer_, "groups"))
      add(base_recipe("channels_first_many", kFirst, {1, 48, 2, 3}, DType::bfloat16).why(kWhyMany));
    if (has_state(layer_))
      for (const char* layout : {kFirst, kLast})
        add(base_recipe(std::string(layout) + "_inference", layout, kSmall, DType::float32)
                .why("running statistics of the channels")
                .inference());
  }

  void standard() {
    constexpr Image kLarge = {3, 12, 17, 31};
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
      add(base_recipe(kFirst, kFirst, kLarge, dtype).why(kWhyFirst));
      add(base_recipe(kLast, kLast, kLarge, dtype).why(kWhyLast));
    }
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      for (const char* layout : {kFirst, kLast}) {
        Recipe recipe = base_recipe(std::string(layout) + "_many", layout, {2, 96, 5, 7}, dtype);
        if (corpus::has_option(layer_, "groups")) recipe.option("groups", "32");
        add(recipe.why(kWhyMany));
      }
    for (const char* layout : {kFirst, kLast})
      add(base_recipe(std::string(layout) + "_offset_1e3", layout, kLarge, DType::float32)
              .why("an offset of 1e3 standard deviations, as pixels have that are not centred")
              .x(offset_by(1e3)));
  }

 private:
  void add(const Recipe& recipe) { cases_.push_back(recipe.make(seed_)); }

  Recipe base_recipe(std::string reason, const std::string& layout, const Image& image,
                     DType dtype) const {
    const auto [samples, channels, height, width] = image;
    std::vector<std::size_t> shape = {samples, channels, height, width};
    if (layout == kLast) shape = {samples, height, width, channels};
    Recipe recipe = norm_recipe(tier_, layer_, std::move(reason), std::move(shape), dtype);
    recipe.option("layout", layout);
    if (corpus::has_option(layer_, "groups")) recipe.option("groups", "3");
    return recipe;
  }

  Tier tier_;
  std::string_view layer_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> layout_cases(Tier tier, std::string_view layer, std::uint64_t seed) {
  if (!corpus::has_option(layer, "layout")) return {};
  LayoutCases cases(tier, layer, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
