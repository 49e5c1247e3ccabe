#include "verification/golden/corpus/layer_traits.hpp"

#include <algorithm>

#include "ref/model/norm_layers.hpp"

namespace normproof::verification::golden::corpus {

namespace {

using ref::model::NormLayer;
using ref::model::Partition;

const NormLayer& find_layer(std::string_view layer) {
  return ref::model::norm_layer(ref::model::norm_options(layer));
}

}  // namespace

bool has_option(std::string_view layer, std::string_view option) {
  const auto options = ref::model::list_all_options(ref::model::norm_options(layer));
  return std::ranges::any_of(options, [&](const auto& entry) { return entry.first == option; });
}

bool has_state(std::string_view layer) {
  return !find_layer(layer).state.empty();
}

bool has_statistics(std::string_view layer) {
  return !find_layer(layer).cells.empty();
}

bool needs_tokens(std::string_view layer) {
  return find_layer(layer).uses_statistics_per_sample();
}

bool is_centered(std::string_view layer) {
  return find_layer(layer).centred();
}

bool adds_beta_after_storing(std::string_view layer) {
  return is_layer_with_options<ref::model::RMSNormOptions>(layer) ||
         is_layer_with_options<ref::model::ScaleNormOptions>(layer);
}

bool uses_mask(std::string_view layer) {
  return find_layer(layer).uses_statistics_over_rows();
}

bool has_statistics_over_rows(std::string_view layer) {
  return std::ranges::any_of(find_layer(layer).cells, [](const ref::model::NormPartition& cells) {
    return cells.partition == Partition::channel || cells.partition == Partition::sample_channel;
  });
}

}  // namespace normproof::verification::golden::corpus
