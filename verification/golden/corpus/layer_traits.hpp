#pragma once

#include <string_view>
#include <variant>

#include "ref/model/norm_options.hpp"

/// Properties of the norm layers on which the cases of the corpus depend. They are read from the
/// description of the layer (ref/model/norm_layers.hpp). `layer` is one of norm_names().
///
/// Throws    UsageError if the layer is unknown
namespace normproof::verification::golden::corpus {

/// Whether the layer has options of this type.
template <class Options>
bool is_layer_with_options(std::string_view layer) {
  return std::holds_alternative<Options>(ref::model::norm_options(layer));
}
bool has_option(std::string_view layer, std::string_view option);
/// Whether the layer keeps running statistics over the rows of batches.
bool has_state(std::string_view layer);
/// Whether the layer normalizes by statistics of several elements.
bool has_statistics(std::string_view layer);
/// Whether the layer subtracts a mean.
bool is_centered(std::string_view layer);
/// Whether the layer was published without beta, so that implementations add beta to the stored
/// output of the layer.
bool adds_beta_after_storing(std::string_view layer);
/// Whether statistics run over several rows, so that the mask matters.
bool uses_mask(std::string_view layer);
/// Whether statistics are taken per sample. In the shape [N,D] each row would be a sample with a
/// single token.
bool needs_tokens(std::string_view layer);
/// Whether the statistics of a feature run over rows or tokens.
bool has_statistics_over_rows(std::string_view layer);

}  // namespace normproof::verification::golden::corpus
