#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::Tier;

/// Starts the description of a case of a norm layer. If the layer has a warm-up, the step of the
/// case comes after the end of the warm-up. The number of groups divides d_model and differs from
/// the width of a group. If there is a single row, the running variance is the biased one.
Recipe norm_recipe(Tier tier, std::string_view layer, std::string reason,
                   std::vector<std::size_t> shape, DType dtype);

/// Returns the shape of x for this number of rows: [N,D], or [1,N,D] (one sample with N tokens) if
/// the layer needs tokens.
std::vector<std::size_t> rows_by_features(std::string_view layer, std::size_t rows,
                                          std::size_t d_model);

/// A combination of dtypes in which the parameters have another dtype than x, as in mixed-precision
/// models.
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

/// Returns an element of either sign near the largest number of float16.
double near_largest(std::size_t flat, double normal);
/// Returns the fill of a tensor with normal numbers and with numbers that are subnormal in float16
/// but normal in float32. Six consecutive elements form a group. In every `period` consecutive
/// groups, the elements of the first group are subnormal and all others are normal. Two tensors
/// with different periods therefore have all four combinations of normal and subnormal elements at
/// the same index.
Fill some_subnormal_elements(std::size_t period);
inline constexpr const char* kWhySubnormal =
    "elements that are subnormal in float16, and normal in the arithmetic: 0 is no answer";
inline constexpr const char* kWhySubnormalFloat32 =
    "elements below the least normal number of float32: 0 is no answer of a candidate that does "
    "not say that it flushes";
inline constexpr const char* kWhyNearLargest =
    "elements near the largest number of float16: sums, squares and cubes overflow it";

/// Returns an element of a zero-centered gamma, to which the layer adds 1. The element is near 0,
/// as after training, or exactly 0.
double near_zero(std::size_t flat, double normal);
inline constexpr const char* kZeroCentred = "zero_centred_gamma";
inline constexpr const char* kWhyZeroCentred =
    "1 + gamma multiplies: gamma alone, 2 + gamma, or a 1 that the backward forgets";

Fill offset_by(double offset);
Fill scaled_by(double scale);

}  // namespace normproof::verification::golden::recipes
