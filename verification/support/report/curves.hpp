#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normproof::verification::support::report {

/// A curve of a picture. Its points are written into the gnuplot script.
struct Curve {
  std::string title;  ///< empty: the curve is not in the key
  std::string style;
  std::vector<std::pair<double, double>> points;
};

/// Quotes the text for gnuplot, so that no character ends the quotation.
std::string gnuplot_text(std::string_view text);

/// Returns the script lines that start every picture: title, border, grid and key.
std::string common(std::string_view title);

/// Returns the script that plots the curves that have points, or nothing if none has. A non-finite
/// number leaves a gap, and a point without neighbors is drawn as a dot.
std::string plot(const std::vector<Curve>& curves);

/// The number of lines that can be told apart by color.
inline constexpr std::size_t kMaxCurveColors = 9;

/// Returns the gnuplot style of a line in the color with this index; indices wrap at kCurveColours.
std::string line(std::size_t colour, bool dashed);

}  // namespace normproof::verification::support::report
