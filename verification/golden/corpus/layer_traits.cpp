#include "verification/golden/corpus/layer_traits.hpp"

#include <algorithm>

#include "ref/model/norm_layers.hpp"

namespace normproof::verification::golden::corpus {

namespace {

using ref::model::NormLayer;
using ref::model::Partition;

const NormLayer& described(std::string_view layer) {
  return ref::model::norm_layer(ref::model::norm_options(layer));
}

}  // namespace

bool has_option(std::string_view layer, std::string_view option) {
  const auto options = ref::model::list_all_options(ref::model::norm_options(layer));
  return std::ranges::any_of(options, [&](const auto& entry) { return entry.first == option; });
}

bool has_state(std::string_view layer) {
  return !described(layer).state.empty();
}

bool has_statistics(std::string_view layer) {
  return !described(layer).cells.empty();
}

bool needs_tokens(std::string_view layer) {
  return described(layer).over_samples();
}

bool is_centred(std::string_view layer) {
  return described(layer).centred();
}

bool adds_beta_apart(std::string_view layer) {
  return is_layer_of<ref::model::RMSNormOptions>(layer) ||
         is_layer_of<ref::model::ScaleNormOptions>(layer);
}

bool looks_at_mask(std::string_view layer) {
  return described(layer).over_rows();
}

bool along_rows(std::string_view layer) {
  return std::ranges::any_of(described(layer).cells, [](const ref::model::NormCells& cells) {
    return cells.partition == Partition::channel || cells.partition == Partition::sample_channel;
  });
}

}  // namespace normproof::verification::golden::corpus
