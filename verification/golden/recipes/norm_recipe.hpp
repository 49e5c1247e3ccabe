#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::Tier;

/// The recipe of a layer of ref/norm: past its warm-up, in groups that divide d_model and whose
/// number is not their extent, and with the biased running variance where there is one row.
Recipe norm_recipe(Tier tier, std::string_view layer, std::string reason,
                   std::vector<std::size_t> shape, DType dtype);

/// [N,D] where the layer takes it for N rows, else one sample of N tokens.
std::vector<std::size_t> rows_by_features(std::string_view layer, std::size_t rows,
                                          std::size_t d_model);

Fill offset_by(double offset);
Fill scaled_by(double scale);

}  // namespace normproof::verification::golden::recipes
