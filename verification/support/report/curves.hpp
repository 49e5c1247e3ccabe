#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normproof::verification::support::report {

/// A curve of a picture: its points are written into gnuplot's script.
struct Curve {
  std::string title;  ///< empty: none in the key
  std::string style;
  std::vector<std::pair<double, double>> points;
};

/// The text in gnuplot's quotes, which it cannot leave.
std::string gnuplot_text(std::string_view text);

/// The beginning of every picture: title, border, grid and key.
std::string common(std::string_view title);

/// The command that plots the curves with points, nothing where there is none; a number that is not
/// finite leaves a gap, and a point alone on its line is a dot.
std::string plot(const std::vector<Curve>& curves);

/// As many lines are told apart by colour.
inline constexpr std::size_t kCurveColours = 9;

/// A line in the colour of this number, counted from 0 and again after kCurveColours.
std::string line(std::size_t colour, bool dashed);

}  // namespace normproof::verification::support::report
