#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Numbers of features that models have. Each is a multiple of 8, so that a row of a 16-bit dtype
/// consists of whole vectors of 16 bytes.
inline constexpr std::size_t kModelWidths[] = {64,   128,  256,  512,  768,
                                               1024, 2048, 4096, 5120, 8192};
/// Numbers of features that an attention head of a model has.
inline constexpr std::size_t kHeadWidths[] = {64, 128};

/// Returns the cases of a norm layer or row-wise function whose rows have one of kModelWidths, in
/// 16-bit dtypes. Kernels read such rows in vectors of 16 bytes, with code that no other width
/// reaches.
///
/// The tier `quick` has rows of 64 features, and for BatchNorm 128 channels. The tier `standard`
/// has every width. The tier `full` has tensors of more than 2^20 elements, in float32 and in
/// bfloat16.
std::vector<Case> model_width_cases(Tier tier, std::string_view operation, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
