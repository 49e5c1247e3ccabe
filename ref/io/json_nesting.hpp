#pragma once

#include <cstddef>
#include <string_view>

namespace normproof::ref::io {

/// How deep arrays and objects may nest in a file. The parser takes any depth, but what is parsed
/// is copied, compared and written by recursion, whose stack ends at some ten thousand.
inline constexpr std::size_t kMaxJsonNesting = 64;

/// How deep arrays and objects nest in a text of JSON; 0 for a text without one. Brackets in
/// strings do not count. Of a text that is no JSON it is some number.
std::size_t json_nesting(std::string_view text);

}  // namespace normproof::ref::io
