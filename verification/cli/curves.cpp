#include "verification/cli/curves.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

namespace {

// Okabe and Ito's colours, told apart by everyone; black last.
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#7f6000", "#000000"};

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

std::string common(std::string_view title) {
  return fmt::format(
      "set title {} noenhanced font ',16'\n"
      "set border 3 linewidth 0.8 linecolor '#444444'\n"
      "set grid ytics linecolor '#dddddd' linewidth 0.6\n"
      "set tics nomirror textcolor '#222222'\n"
      "set key noenhanced\n",
      gnuplot_text(title));
}

std::string plot(const std::vector<Curve>& curves) {
  std::string blocks;
  std::string command;
  for (const Curve& curve : curves) {
    if (curve.points.empty()) continue;
    const std::size_t name = static_cast<std::size_t>(&curve - curves.data());
    blocks += fmt::format("$curve{} << EOD\n", name);
    for (const auto& [x, y] : curve.points)
      blocks += fmt::format("{} {}\n", coordinate(x), coordinate(y));
    blocks += "EOD\n";
    command += fmt::format("{} $curve{} using 1:2 {} {}", command.empty() ? "plot" : ", \\\n  ",
                           name, curve.style,
                           curve.title.empty() ? "notitle" : "title " + gnuplot_text(curve.title));
  }
  return command.empty() ? "" : blocks + command + "\n";
}

std::string line(std::size_t colour, bool dashed) {
  return fmt::format("with lines linecolor '{}' linewidth 1.6{}",
                     kColours[colour % kColours.size()], dashed ? " dashtype (6,4)" : "");
}

}  // namespace normproof::verification::cli
