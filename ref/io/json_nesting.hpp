#pragma once

#include <cstddef>
#include <string_view>

namespace normproof::ref::io {

/// The maximum depth of nested arrays and objects in a file. The parser accepts any depth, but
/// parsed JSON is copied, compared and written recursively, and the stack overflows at some ten
/// thousand levels.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// Properties of a JSON text, found without parsing it. Brackets and colons in strings do not
/// count. For a text that is not JSON the numbers are arbitrary.
struct JsonShape {
  std::size_t nesting = 0;  ///< maximum depth of arrays and objects; 0 without any
  std::size_t keys = 0;     ///< in all objects; a duplicate key counts twice
};
JsonShape json_shape(std::string_view text);

}  // namespace normproof::ref::io
