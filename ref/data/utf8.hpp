#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normproof::ref::data {

/// U+FEFF in UTF-8. Some editors write it at the start of a file; it belongs to no text here.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns the code point that begins at byte `position` of `text` and moves `position` past it.
/// Returns -1 if the bytes there are not well-formed UTF-8; surrogates and overlong forms are not.
/// Requires  position < text.size() < 2^31
std::int32_t next_character(std::string_view text, std::size_t& position);

/// Whether the whole text is well-formed UTF-8.
/// Requires  text.size() < 2^31
bool is_well_formed_utf8(std::string_view text);

}  // namespace normproof::ref::data
