#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

/// The extents of a case, and how it differs from the ordinary one.
struct TransformerRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 3, source = 4, tokens = 3, d_model = 4, d_ff = 3;
  std::size_t source_words = 5, words = 6;
  bool pads = true;
  std::size_t past = 0;  ///< number of past positions in the cache of decoding
  std::vector<std::pair<std::string, Fill>> fills = {};  ///< tensors with unusual elements
};

/// Returns the case that the recipe describes, of one of model::transformer_operation_names(). A
/// target is the next token. The last word but one of a vocabulary of at least four never occurs.
/// Throws    UsageError as set_option does
Case transformer_case(Tier tier, std::string_view operation, const TransformerRecipe& recipe,
                      std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
