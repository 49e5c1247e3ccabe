#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::Tier;

/// Starts the recipe of a norm layer: after its warm-up, with groups that divide d_model and whose
/// number differs from their width, and with the biased running variance if there is one row.
Recipe norm_recipe(Tier tier, std::string_view layer, std::string reason,
                   std::vector<std::size_t> shape, DType dtype);

/// Returns [N,D] if the layer treats it as N rows, otherwise the shape of one sample with N tokens.
std::vector<std::size_t> rows_by_features(std::string_view layer, std::size_t rows,
                                          std::size_t d_model);

/// Parameters in another dtype than x, as models keep them.
struct MixedDtypes {
  const char* reason;
  DType x_dtype, parameters_dtype;
  const char* why;
};
inline constexpr MixedDtypes kMixedDtypes[] = {
    {"parameters_in_float32", DType::bfloat16, DType::float32,
     "gamma and beta have digits that x has not, and so have their gradients"},
    {"parameters_in_float32", DType::float16, DType::float32,
     "gamma and beta have digits that x has not, and so have their gradients"},
    {"parameters_in_bfloat16", DType::float32, DType::bfloat16,
     "x has digits that gamma and beta have not: nothing of y is rounded to theirs"}};

/// Returns an element near the largest number of float16, of either sign.
double near_largest(std::size_t flat, double normal);
/// Returns elements that are subnormal in float16, in which float32 arithmetic loses nothing, mixed
/// with normal ones. They alternate over groups of six elements with this period, so that two
/// tensors of different periods meet in all combinations.
Fill subnormal_in_some(std::size_t period);
inline constexpr const char* kWhySubnormal =
    "elements that are subnormal in float16, and normal in the arithmetic: 0 is no answer";
inline constexpr const char* kWhySubnormalFloat32 =
    "elements below the least normal number of float32: 0 is no answer of a candidate that does "
    "not say that it flushes";
inline constexpr const char* kWhyNearLargest =
    "elements near the largest number of float16: sums, squares and cubes overflow it";

/// Returns an element of a gamma to which 1 is added: near 0 as after training, or exactly 0.
double near_zero(std::size_t flat, double normal);
inline constexpr const char* kZeroCentred = "zero_centred_gamma";
inline constexpr const char* kWhyZeroCentred =
    "1 + gamma multiplies: gamma alone, 2 + gamma, or a 1 that the backward forgets";

Fill offset_by(double offset);
Fill scaled_by(double scale);

}  // namespace normproof::verification::golden::recipes
