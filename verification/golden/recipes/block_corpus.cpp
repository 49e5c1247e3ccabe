#include "verification/golden/recipes/block_corpus.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "ref/model/norm_options.hpp"
#include "ref/model/operation.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/checks/evaluation/functions.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::has_statistics_over_rows;
using corpus::is_layer_with_options;

namespace {

/// The elements of kBlockEdges that no other case of the operation has as an extent along the axis
/// of statistics. The first list is for the common layers and for functions, and the second list is
/// for all other layers.
constexpr std::size_t kEdgesMissingInAllLayers[] = {32};
constexpr std::size_t kEdgesMissingInRareLayers[] = {31, 32, 63, 64, 65, 127, 128, 129, 257};
constexpr const char* kWhyRows =
    "as many rows as a block has, one less or one more: the last block of rows is lost, whole or "
    "in part, or counts twice";

bool contains_name(const std::vector<std::string>& names, std::string_view operation) {
  return std::ranges::find(names, operation) != names.end();
}
bool is_norm(std::string_view operation) {
  return contains_name(ref::model::norm_names(), operation);
}

class BlockCases {
 public:
  BlockCases(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier), operation_(operation), seed_(seed), norm_(is_norm(operation)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    if (is_layer_of_rows()) {
      rows(129, 2);
      rows(256, 2);
    } else if (ref::model::operation_info(operation_).takes("residual")) {
      rows(128, 2);
    } else if (norm_ && is_layer_with_options<ref::model::DyTOptions>(operation_)) {
      rows(128, 2);
      rows(129, 2);
    } else {
      rows(32, 2);
    }
  }

  void standard() {
    const bool uses_statistics_over_rows = norm_ && has_statistics_over_rows(operation_);
    const bool over_nothing = norm_ && !corpus::has_statistics(operation_);
    for (const std::size_t extent : uses_statistics_over_rows ? missing_block_edges() : kBlockEdges)
      rows(extent, 4);
    for (const std::size_t extent :
         uses_statistics_over_rows || over_nothing ? kBlockEdges : missing_block_edges())
      features(extent);
  }

 private:
  /// Whether every statistic of the layer is computed from a single row, while the gradients of
  /// gamma and beta are sums over rows.
  bool is_layer_of_rows() const {
    return norm_ && (is_layer_with_options<ref::model::LayerNormOptions>(operation_) ||
                     is_layer_with_options<ref::model::RMSNormOptions>(operation_));
  }

  /// Returns the elements of kBlockEdges that no other case of the operation has as an extent along
  /// the axis of statistics.
  std::span<const std::size_t> missing_block_edges() const {
    const bool has_all = !norm_ || is_layer_of_rows() ||
                         is_layer_with_options<ref::model::BatchNormOptions>(operation_) ||
                         is_layer_with_options<ref::model::GroupNormOptions>(operation_);
    return has_all ? std::span<const std::size_t>(kEdgesMissingInAllLayers)
                   : kEdgesMissingInRareLayers;
  }

  void rows(std::size_t extent, std::size_t d_model) {
    add("block_rows", extent, d_model, kWhyRows);
  }
  void features(std::size_t extent) {
    add("block_features", 3, extent, "as many features as a block has, one less or one more");
  }

  void add(const char* reason, std::size_t rows, std::size_t d_model, const char* why) {
    Recipe recipe = norm_ ? norm_recipe(tier_, operation_, reason,
                                        rows_by_features(operation_, rows, d_model), DType::float32)
                          : Recipe(tier_, operation_, reason, {rows, d_model}, DType::float32);
    recipe.why(why);
    if (ref::model::is_operation_name<ref::model::ReluOptions>(operation_))
      recipe.exact();  // outputs are inputs or 0, so that nothing is rounded
    cases_.push_back(recipe.make(seed_));
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool norm_;
  std::vector<Case> cases_;
};

/// Whether the operation has block cases. Norms have them, and so do functions that compute each
/// row of x separately. Other functions have their own cases instead.
bool has_block_cases(std::string_view operation) {
  if (is_quantization(operation)) return false;
  return is_norm(operation) || (ref::model::is_function(operation) &&
                                ref::model::operation_info(operation).is_computed_per_row());
}

}  // namespace

std::vector<Case> block_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  if (!has_block_cases(operation)) return {};
  BlockCases cases(tier, operation, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  return cases.take();
}

std::vector<std::size_t> block_edges_of_tier(Tier tier) {
  constexpr std::size_t kQuickTierEdges[] = {31, 33, 127, 129};
  if (tier == Tier::quick) return {std::begin(kQuickTierEdges), std::end(kQuickTierEdges)};
  std::vector<std::size_t> missing_block_edges;
  if (tier == Tier::standard)
    std::ranges::set_difference(kBlockEdges, kQuickTierEdges,
                                std::back_inserter(missing_block_edges));
  return missing_block_edges;
}

}  // namespace normproof::verification::golden::recipes
