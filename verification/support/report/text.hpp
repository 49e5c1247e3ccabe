#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::support::report {

/// Returns a text that is safe in a terminal, in XML and in HTML: every ill-formed byte is replaced
/// by U+FFFD, and every control character except the line feed by a space.
std::string clean(std::string_view text);

/// Returns clean(text) with a space in place of each line end.
std::string clean_line(std::string_view text);

/// Returns the number of terminal columns of the text. A wide East Asian character takes two
/// columns, a combining character none, any other character one.
std::size_t display_width(std::string_view utf8);

/// Returns the text, cut to at most `width` terminal columns. If the text is cut, it ends with an
/// ellipsis (U+2026).
std::string cut(std::string_view utf8, std::size_t width);

/// Returns cut(utf8, width), filled with spaces to `width` columns.
std::string pad_right(std::string_view utf8, std::size_t width);

/// Breaks the text at spaces into lines of at most `width` terminal columns. A word that is longer
/// than `width` gets its own line.
std::vector<std::string> wrap(std::string_view utf8, std::size_t width);

/// Formats a number for readers: three significant digits, or "0", "inf" or "nan".
std::string number_text(double value);

/// The text that is printed for a missing number.
inline constexpr const char* kNoNumber = "–";

/// Formats a number with `digits` digits after the decimal point. Returns kNoNumber if there is no
/// number.
std::string decimals(const std::optional<double>& value, int digits);

/// Formats a fraction as a percentage such as "12.3 %".
std::string percent(double fraction);

/// Formats a count with separators, such as "12,345".
std::string count_text(std::size_t count);

/// Formats a count with its noun: "1 claim" or "2 claims".
std::string plural(std::size_t count, std::string_view thing);

/// Replaces the characters & < > " ' by XML entities.
std::string escape_markup(std::string_view text);

}  // namespace normproof::verification::support::report
