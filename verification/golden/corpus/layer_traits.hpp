#pragma once

#include <string_view>
#include <variant>

#include "ref/model/norm_options.hpp"

namespace normproof::verification::golden::corpus {

/// A layer of ref/norm: one of norm_names(); else it is a function, an encoder, or an optimizer.
bool is_layer(std::string_view operation);
/// Whether the operation is one of encoder_operation_names().
bool is_encoder(std::string_view operation);
/// Whether the operation is one of optimizer_names().
bool is_optimizer(std::string_view operation);

/// What a layer is like, as far as its cases depend on it, by model::norm_layer. Names as in
/// norm_names().
/// Throws    UsageError where the layer is unknown

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
/// Statistics over several rows: the mask has a meaning.
bool looks_at_mask(std::string_view layer);
/// Statistics of each sample: in [N,D] each row would be one, with a single token.
bool needs_tokens(std::string_view layer);
/// Statistics of one feature over rows or tokens.
bool along_rows(std::string_view layer);

}  // namespace normproof::verification::golden::corpus
