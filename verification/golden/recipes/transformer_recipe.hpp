#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

/// The description of one case of a Transformer: its extents, and how it differs from an ordinary
/// case.
struct TransformerRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 3, source = 4, tokens = 3, d_model = 4, d_ff = 3;
  std::size_t source_words = 5, words = 6;
  bool pads = true;
  std::size_t past = 0;  ///< number of past positions in the cache of decoding
  /// The functions that compute the elements of tensors, by name of the tensor. Other tensors have
  /// their usual elements.
  std::vector<std::pair<std::string, Fill>> fills = {};
};

/// Returns the case that the recipe describes. `operation` is one of
/// model::transformer_operation_names(). The target of a position is the next token. If the
/// vocabulary has at least four words, its second-to-last word never occurs.
/// Throws    UsageError as set_option does
Case transformer_case(Tier tier, std::string_view operation, const TransformerRecipe& recipe,
                      std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
