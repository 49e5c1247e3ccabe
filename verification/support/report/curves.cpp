#include "verification/support/report/curves.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

using support::report::clean_line;

namespace {

// The palette of Okabe and Ito, whose colors color-blind readers can tell apart. The yellow is
// darker, and wine red is added after black.
constexpr std::array<std::string_view, kMaxCurveColors> kCurveColors = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#7f6000", "#000000", "#882255"};

std::string coordinate(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "NaN";
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char c : clean_line(text)) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string picture_preamble(std::string_view title) {
  return fmt::format(
      "set title {} noenhanced font ',16'\n"
      "set border 3 linewidth 0.8 linecolor '#444444'\n"
      "set grid ytics linecolor '#dddddd' linewidth 0.6\n"
      "set tics nomirror textcolor '#222222'\n"
      "set key noenhanced\n",
      gnuplot_text(title));
}

namespace {

/// Returns the points of a line that have no neighbor, to be drawn as dots in the line's color; a
/// line would not show them. Returns no points if the curve is not drawn as a line.
Curve isolated_points(const Curve& curve) {
  const std::size_t begin = curve.style.find("linecolor");
  const bool lines =
      curve.style.starts_with("with lines ") || curve.style.starts_with("with steps ");
  if (!lines || begin == std::string::npos) return {};
  const std::string colour =
      curve.style.substr(begin, curve.style.find('\'', begin + 11) - begin + 1);
  Curve dots{"", "with points pointtype 7 pointsize 0.6 " + colour, {}};
  const auto is_there = [&](std::size_t i) {
    return i < curve.points.size() && std::isfinite(curve.points[i].second);
  };
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    if (is_there(i) && !is_there(i + 1) && (i == 0 || !is_there(i - 1)))
      dots.points.push_back(curve.points[i]);
  return dots;
}

}  // namespace

std::string plot(const std::vector<Curve>& curves) {
  std::string blocks, command;
  std::size_t name = 0;
  const auto add = [&](const Curve& curve) {
    if (curve.points.empty()) return;
    blocks += fmt::format("$curve{} << EOD\n", name);
    for (const auto& [x, y] : curve.points)
      blocks += fmt::format("{} {}\n", coordinate(x), coordinate(y));
    blocks += "EOD\n";
    command += fmt::format("{} $curve{} using 1:2 {} {}", command.empty() ? "plot" : ", \\\n  ",
                           name, curve.style,
                           curve.title.empty() ? "notitle" : "title " + gnuplot_text(curve.title));
  };
  for (const Curve& curve : curves) {
    add(curve);
    ++name;
  }
  for (const Curve& curve : curves) {
    add(isolated_points(curve));
    ++name;
  }
  return command.empty() ? "" : blocks + command + "\n";
}

std::string line(std::size_t colour, bool dashed) {
  return fmt::format("with lines linecolor '{}' linewidth 1.6{}",
                     kCurveColors[colour % kCurveColors.size()], dashed ? " dashtype (6,4)" : "");
}

}  // namespace normproof::verification::support::report
