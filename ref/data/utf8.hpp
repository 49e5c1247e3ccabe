#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normproof::ref::data {

/// The byte order mark, U+FEFF, in UTF-8. Some editors write it at the start of a file; the texts
/// here must not contain it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns the code point that begins at byte `position` of `text`, and advances `position` to the
/// next one. If the bytes there are not well-formed UTF-8, it returns -1. Surrogates and overlong
/// forms are not well-formed.
/// Requires  position < text.size() < 2^31
std::int32_t next_character(std::string_view text, std::size_t& position);

/// Whether the whole text is well-formed UTF-8.
/// Requires  text.size() < 2^31
bool is_well_formed_utf8(std::string_view text);

}  // namespace normproof::ref::data
