#include "verification/support/report/text.hpp"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "ref/numeric/nan_sign.hpp"

namespace normproof::verification::support::report {
namespace {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

/// Returns the character at `position`, and advances `position` to the byte after this character. A
/// negative result means that the UTF-8 is ill-formed.
UChar32 next(std::string_view text, std::size_t& position) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int64_t>(text.size());
  auto at = static_cast<std::int64_t>(position);
  UChar32 character = 0;
  U8_NEXT(bytes, at, length, character);
  position = static_cast<std::size_t>(at);
  return character;
}

std::size_t character_width(UChar32 character) {
  if (character >= ' ' && character <= '~') return 1;  // fast path without the tables of ICU
  switch (u_charType(character)) {
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_FORMAT_CHAR:
      return 0;
    default:
      break;
  }
  const int kind = u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH);
  return kind == U_EA_WIDE || kind == U_EA_FULLWIDTH ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t begin = position;
    const UChar32 character = next(text, position);
    // XML does not allow U+FFFE and U+FFFF.
    if (character < 0 || character == 0xfffe || character == 0xffff) {
      result += kReplacementCharacter;
    } else if (character != '\n' && u_charType(character) == U_CONTROL_CHAR) {
      result += ' ';
    } else {
      result += text.substr(begin, position - begin);
    }
  }
  return result;
}

std::string clean_line(std::string_view text) {
  std::string result = clean(text);
  std::ranges::replace(result, '\n', ' ');
  return result;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t position = 0; position < utf8.size();)
    width += character_width(next(utf8, position));
  return width;
}

std::string cut(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  for (std::size_t position = 0; position < utf8.size(); end = position) {
    used += character_width(next(utf8, position));
    if (used > width - 1) break;
  }
  return std::string(utf8.substr(0, end)).append(kEllipsis);
}

std::string pad_right(std::string_view utf8, std::size_t width) {
  std::string result = cut(utf8, width);
  return result.append(width - std::min(width, display_width(result)), ' ');
}

std::vector<std::string> wrap(std::string_view utf8, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < utf8.size();) {
    const std::size_t end = std::min(utf8.find(' ', begin), utf8.size());
    const std::string_view word = utf8.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string number_text(double value) {
  return fmt::format("{:.3g}", ref::numeric::remove_nan_signs(value));
}

std::string decimals(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : kNoNumber;
}

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string count_text(std::size_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count_text(count), thing, count == 1 ? "" : "s");
}

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace normproof::verification::support::report
