#pragma once

#include <cstddef>
#include <string_view>

namespace normproof::ref::io {

/// How deep arrays and objects may nest in a file. The parser takes any depth, but what is parsed
/// is copied, compared and written by recursion, whose stack ends at some ten thousand.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// Of a text of JSON, without parsing it. Brackets and colons in strings do not count. Of a text
/// that is no JSON these are some numbers.
struct JsonShape {
  std::size_t nesting = 0;  ///< how deep arrays and objects nest; 0 without one
  std::size_t keys = 0;     ///< of all objects; one that an object has twice counts twice
};
JsonShape json_shape(std::string_view text);

}  // namespace normproof::ref::io
