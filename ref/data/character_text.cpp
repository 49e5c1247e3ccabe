#include "ref/data/character_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ref/data/text_file.hpp"
#include "ref/data/utf8.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {
namespace {

/// Calls f(code point, line number) for every character of the text.
template <class F>
void for_each_character(std::string_view text, std::string_view name, F f) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw numeric::FileError(
        fmt::format("{}: has {} bytes; expected less than 2^31", name, text.size()));
  if (text.starts_with(kByteOrderMark))
    line_failure(name, 1, "begins with a UTF-8 byte order mark", "text in UTF-8 without a mark");
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::int32_t character = next_character(text, at);
    if (character < 0)
      line_failure(name, line, "has the bytes " + quote_bytes(text.substr(begin, at - begin)),
                   "text in UTF-8");
    f(character, line);
    if (character == '\n') ++line;
  }
}

std::string to_utf8(std::int32_t c) {
  const auto byte = [](std::int32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))};
  if (c < 0x10000)
    return {byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
  return {byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)),
          byte(0x80 | (c & 0x3f))};
}

}  // namespace

Alphabet Alphabet::from_text(std::string_view text, std::string_view name) {
  std::set<std::int32_t> seen;
  for_each_character(text, name, [&](std::int32_t c, std::size_t) { seen.insert(c); });
  if (seen.empty())
    throw numeric::FileError(fmt::format("{}: is empty; expected a text in UTF-8", name));
  Alphabet alphabet;
  alphabet.characters_.assign(seen.begin(), seen.end());
  return alphabet;
}

std::vector<std::int32_t> Alphabet::encode(std::string_view text, std::string_view name) const {
  std::vector<std::int32_t> tokens;
  tokens.reserve(text.size());
  for_each_character(text, name, [&](std::int32_t c, std::size_t line) {
    const auto found = std::ranges::lower_bound(characters_, c);
    if (found == characters_.end() || *found != c)
      line_failure(name, line, "has the character " + quote_bytes(to_utf8(c)),
                   fmt::format("one of the {} that the model was trained with", size()));
    tokens.push_back(static_cast<std::int32_t>(found - characters_.begin()));
  });
  return tokens;
}

std::optional<std::string> Alphabet::find_unknown_character(std::string_view text,
                                                            std::string_view name) const {
  std::optional<std::string> unknown;
  for_each_character(text, name, [&](std::int32_t c, std::size_t) {
    if (!unknown && !std::ranges::binary_search(characters_, c)) unknown = to_utf8(c);
  });
  return unknown;
}

std::string Alphabet::decode(const std::vector<std::int32_t>& tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= size())
      numeric::contract_failure("decode", "tokens", fmt::format("has the element {}", token),
                                fmt::format("0 to {}", size() - 1), numeric::Clause::C1);
    text += to_utf8(characters_[static_cast<std::size_t>(token)]);
  }
  return text;
}

std::string Alphabet::text() const {
  std::string text;
  for (const std::int32_t c : characters_) text += to_utf8(c);
  return text;
}

}  // namespace normproof::ref::data
