#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Whether the operation is quantize or dequantize. Every case of these operations has tensors of 8
/// bits, because the operations are the identity otherwise.
bool is_quantization(std::string_view operation);

/// Returns the cases of quantize or dequantize. They have every kind of scale, every dtype of x or
/// y, ties, numbers out of range, blocks of zeros, and rows that end within a block. They have no
/// gradients. The tier `full` has none.
/// Requires  is_quantization(operation)
std::vector<corpus::Case> quantize_cases(corpus::Tier tier, std::string_view operation,
                                         std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
