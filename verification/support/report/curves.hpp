#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normproof::verification::support::report {

/// A curve of a gnuplot picture.
struct Curve {
  /// Name of the curve in the picture's key. If it is empty, the key does not list the curve.
  std::string title;
  std::string style;
  std::vector<std::pair<double, double>> points;
};

/// Returns the text in gnuplot's quotation marks, escaped as needed.
std::string gnuplot_text(std::string_view text);

/// Returns the gnuplot commands with which every picture starts: title, border, grid and key.
std::string picture_preamble(std::string_view title);

/// Returns the gnuplot commands that plot the curves, or an empty text if no curve has a point. A
/// non-finite number leaves a gap. A point without neighbors is drawn as a dot.
std::string plot(const std::vector<Curve>& curves);

/// The number of different colors of curves.
inline constexpr std::size_t kMaxCurveColors = 9;

/// Returns the gnuplot style of a line in the color with index `colour`. An index of
/// kMaxCurveColors or more starts again from the first color.
std::string line(std::size_t colour, bool dashed);

}  // namespace normproof::verification::support::report
