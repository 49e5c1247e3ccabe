#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normproof::ref::data {

/// U+FEFF in UTF-8, with which some editors begin a file: no part of any text here.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Computes  the code point that begins at byte `position` of `text`, or -1 where the bytes from
///           there on are no well-formed UTF-8 (surrogates and overlong forms are not); moves
///           `position` past it
/// Requires  position < text.size() < 2^31
std::int32_t next_character(std::string_view text, std::size_t& position);

/// True if the whole text is well-formed UTF-8.
/// Requires  text.size() < 2^31
bool is_well_formed_utf8(std::string_view text);

}  // namespace normproof::ref::data
