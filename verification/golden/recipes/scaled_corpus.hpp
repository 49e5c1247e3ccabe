#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the cases of an operation with 8-bit tensors and scales. There are such cases for
/// layer_norm, rms_norm, the norms of a sum, softmax, silu, swiglu, quantize and dequantize,
/// because 8-bit kernels exist for them. Other operations and the tier `full` have none.
std::vector<corpus::Case> scaled_cases(corpus::Tier tier, std::string_view operation,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
