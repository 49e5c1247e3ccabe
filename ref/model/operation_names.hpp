#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace normproof::ref::model {

/// Returns the name of the operation that a text means: by its name, or by another name that
/// libraries use, such as "swish" for "silu". Letters may have any case, and `_`, `-` and spaces do
/// not count, so that "LayerNorm" is "layer_norm". If there is none, the result is empty.
std::optional<std::string> find_operation_name(std::string_view text);

}  // namespace normproof::ref::model
