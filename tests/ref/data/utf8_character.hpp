#pragma once

#include <unicode/utf8.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace normproof::tests::ref::data {

/// Returns the UTF-8 bytes of a code point.
inline std::string utf8_character(std::int32_t c) {
  char bytes[U8_MAX_LENGTH];
  std::int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  return std::string(bytes, static_cast<std::size_t>(size));
}

}  // namespace normproof::tests::ref::data
