#pragma once

#include <optional>
#include <string_view>

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::numeric {

/// Returns the floating-point format that a text names: by its name, such as "bfloat16", or by a
/// short name that libraries use, such as "bf16", "half" or "double", in any case of letters. If
/// there is none, the result is empty. "float" is not such a name, because it is 64 bits in some
/// libraries and 32 bits in others.
std::optional<FloatType> find_float_type(std::string_view text);

}  // namespace normproof::ref::numeric
