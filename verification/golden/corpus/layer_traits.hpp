#pragma once

#include <string_view>
#include <variant>

#include "ref/model/norm_options.hpp"

/// Properties of the norm layers that decide which cases the corpus has. The functions read them
/// from the description of the layer (ref/model/norm_layers.hpp). `layer` is one of norm_names().
///
/// Throws    UsageError if the layer is unknown
namespace normproof::verification::golden::corpus {

/// Whether the layer's options have this type.
template <class Options>
bool is_layer_with_options(std::string_view layer) {
  return std::holds_alternative<Options>(ref::model::norm_options(layer));
}
bool has_option(std::string_view layer, std::string_view option);
/// Whether the layer has running statistics, which each training batch updates.
bool has_state(std::string_view layer);
/// Whether the layer divides by a statistic that is computed from several elements.
bool has_statistics(std::string_view layer);
/// Whether the layer subtracts a mean.
bool is_centered(std::string_view layer);
/// Whether implementations add beta after they have stored the output. This is the case for layers
/// that were published without beta.
bool adds_beta_after_storing(std::string_view layer);
/// Whether a statistic is computed from several rows. If so, the mask of padded rows changes the
/// output.
bool uses_mask(std::string_view layer);
/// Whether x needs an axis of tokens, because statistics are computed from all tokens of a sample.
/// Without that axis, each sample would have a single token.
bool needs_tokens(std::string_view layer);
/// Whether each feature has its own statistic, computed from several rows or tokens.
bool has_statistics_over_rows(std::string_view layer);

}  // namespace normproof::verification::golden::corpus
