#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::operands {

/// What a function may be given besides operands_of (operands.hpp): "grad_y", "valid", the
/// parameters and "grad_sum" of a sum that is normalized, the "class_weights" of cross_entropy.
std::vector<std::string> optional_operands_of(std::string_view function);

}  // namespace normproof::verification::operands
