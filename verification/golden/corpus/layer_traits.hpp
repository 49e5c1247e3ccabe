#pragma once

#include <string_view>
#include <variant>

#include "ref/model/norm_options.hpp"

/// What a layer is like, as far as the cases of the corpus depend on it: read from its description
/// (ref/model/norm_layers.hpp). layer: one of norm_names().
///
/// Throws    UsageError where the layer is unknown
namespace normproof::verification::golden::corpus {

/// Whether the layer has options of this type.
template <class Options>
bool is_layer_of(std::string_view layer) {
  return std::holds_alternative<Options>(ref::model::norm_options(layer));
}
bool has_option(std::string_view layer, std::string_view option);
/// Running quantities: statistics over the rows of a batch.
bool has_state(std::string_view layer);
/// Whether statistics of several elements normalise.
bool has_statistics(std::string_view layer);
/// Whether the layer subtracts a mean.
bool is_centred(std::string_view layer);
/// Published without beta: whoever wants one adds it to what the layer has stored.
bool adds_beta_apart(std::string_view layer);
/// Statistics over several rows: the mask has a meaning.
bool looks_at_mask(std::string_view layer);
/// Statistics of each sample: in [N,D] each row would be one, with a single token.
bool needs_tokens(std::string_view layer);
/// Statistics of one feature over rows or tokens.
bool along_rows(std::string_view layer);

}  // namespace normproof::verification::golden::corpus
