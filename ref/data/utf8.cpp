#include "ref/data/utf8.hpp"

#include <unicode/utf8.h>

namespace normproof::ref::data {

// The ICU macro U8_NEXT narrows int to std::uint8_t intentionally.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
std::int32_t next_character(std::string_view text, std::size_t& position) {
  auto i = static_cast<std::int32_t>(position);
  const auto length = static_cast<std::int32_t>(text.size());
  UChar32 c = 0;
  U8_NEXT(text.data(), i, length, c);
  position = static_cast<std::size_t>(i);
  return c;
}
#pragma GCC diagnostic pop

bool is_well_formed_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (next_character(text, i) < 0) return false;
  }
  return true;
}

}  // namespace normproof::ref::data
