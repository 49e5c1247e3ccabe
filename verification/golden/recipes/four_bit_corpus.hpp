#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the cases of `quantize` and `dequantize` with elements of 4 bits: mxfp4, whose blocks of
/// 32 have scales of float8_e8m0fnu, and nvfp4, whose blocks of 16 have scales of float8_e4m3fn
/// times one float32 scale of the tensor.
/// Requires  is_quantization(operation)
std::vector<corpus::Case> four_bit_cases(corpus::Tier tier, std::string_view operation,
                                         std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
