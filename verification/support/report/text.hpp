#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::support::report {

/// Computes  the text with every ill-formed byte as U+FFFD and every control character but LF as a
///           space: safe in a terminal, in XML and in HTML
std::string clean(std::string_view text);

/// The same without line ends: each becomes a space.
std::string clean_line(std::string_view text);

/// Columns that the text takes in a terminal: 2 for wide East Asian characters, 0 for combining
/// ones, 1 for others.
std::size_t display_width(std::string_view utf8);

/// Computes  the longest beginning of at most `width` columns; where something is cut off it ends
///           with U+2026
std::string cut(std::string_view utf8, std::size_t width);

/// `cut`, followed by spaces up to `width` columns.
std::string pad_right(std::string_view utf8, std::size_t width);

/// Computes  lines of at most `width` columns, broken at spaces; a longer word has a line of its
///           own
std::vector<std::string> wrap(std::string_view utf8, std::size_t width);

/// A number for people: three significant digits, "0" and "inf" and "nan" as such.
std::string number_text(double value);

/// What stands where there is no number.
inline constexpr const char* kNoNumber = "–";

/// A number with so many digits behind the point, or kNoNumber.
std::string decimals(const std::optional<double>& value, int digits);

/// "12.3 %"
std::string percent(double fraction);

/// "12,345"
std::string count_text(std::size_t count);

/// "1 claim", "2 claims"
std::string plural(std::size_t count, std::string_view thing);

/// The text with & < > " ' as entities.
std::string escape_markup(std::string_view text);

}  // namespace normproof::verification::support::report
