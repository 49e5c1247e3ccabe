#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::operands {

/// Returns the tensors that a function accepts besides required_operands() (operands.hpp):
/// "grad_y", "valid", the parameters and "grad_sum" of add_layer_norm and add_rms_norm,
/// "class_weights" of cross_entropy.
std::vector<std::string> accepted_operands(std::string_view function);

}  // namespace normproof::verification::operands
