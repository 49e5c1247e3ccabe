#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::support::report {

/// Returns the text with every ill-formed byte replaced by U+FFFD and every control character
/// except LF by a space, which is safe in a terminal, in XML and in HTML.
std::string clean(std::string_view text);

/// Does the same as clean() and also replaces each line end by a space.
std::string clean_line(std::string_view text);

/// Returns the number of columns of the text in a terminal: 2 for wide East Asian characters, 0 for
/// combining ones, 1 for others.
std::size_t display_width(std::string_view utf8);

/// Cuts the text to at most `width` columns. A text that is cut off ends with U+2026.
std::string cut(std::string_view utf8, std::size_t width);

/// Applies cut() and then appends spaces up to `width` columns.
std::string pad_right(std::string_view utf8, std::size_t width);

/// Breaks the text at spaces into lines of at most `width` columns; a longer word has its own line.
std::vector<std::string> wrap(std::string_view utf8, std::size_t width);

/// Formats a number for readers: three significant digits, or "0", "inf" or "nan".
std::string number_text(double value);

/// The text shown in place of a missing number.
inline constexpr const char* kNoNumber = "–";

/// Formats a number with this many digits after the point, or returns kNoNumber.
std::string decimals(const std::optional<double>& value, int digits);

/// Formats a fraction as "12.3 %".
std::string percent(double fraction);

/// Formats a count as "12,345".
std::string count_text(std::size_t count);

/// Formats a count with its noun: "1 claim", "2 claims".
std::string plural(std::size_t count, std::string_view thing);

/// Replaces & < > " ' by entities.
std::string escape_markup(std::string_view text);

}  // namespace normproof::verification::support::report
