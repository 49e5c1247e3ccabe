#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

/// The extents of a case, and how it differs from the ordinary one.
struct EncoderRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 2, tokens = 3, d_model = 4, d_ff = 6;
  std::size_t vocabulary = 5, classes = 3;
  bool inference = false, pads = true, class_weights = true;
  /// Whether token t of sentence b is padding; the first of each is none.
  std::function<bool(std::size_t b, std::size_t t)> pad = {};
  std::vector<std::pair<std::string, Fill>> fills = {};  ///< tensors that are not as usual
};

/// The case of one of model::encoder_operation_names() that the recipe describes.
/// Throws    UsageError as set_option does
Case encoder_case(Tier tier, std::string_view operation, const EncoderRecipe& recipe,
                  std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
