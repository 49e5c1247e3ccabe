#include "verification/support/report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

// All pictures of a page have the same width, so that they are scaled by the same factor.
constexpr std::size_t kWidth = 1100, kLeft = 110, kLargestSquare = 28, kLegendLine = 26;
/// Minimum distance between two labels of an axis, in units of the viewBox.
constexpr std::size_t kLabelSpacing = 46;

struct ColorStep {
  /// The largest ratio that is shown in this color.
  double max_ratio;
  const char* colour;
  const char* words;
};
constexpr ColorStep kColorSteps[] = {{0.25, "#eef4fa", "up to a quarter of the bound"},
                                     {1, "#bcd7f0", "within the bound"},
                                     {10, "#fbdcc4", "up to 10 times the bound"},
                                     {1000, "#f2a36b", "up to 1000 times"},
                                     {HUGE_VAL, "#c2410c", "more, or not finite"}};
constexpr ColorStep kNotJudged = {0, "#ffffff", "not judged"};

const ColorStep& find_color_step(double share) {
  if (std::isnan(share)) return kNotJudged;
  return *std::ranges::find_if(kColorSteps,
                               [=](const ColorStep& shade) { return share <= shade.max_ratio; });
}

bool is_beyond(double share) {
  return share > 1;
}

std::string square(std::size_t x, std::size_t y, std::size_t size, const ColorStep& shade,
                   bool beyond, const std::string& name) {
  const std::string title = name.empty() ? "" : fmt::format("<title>{}</title>", name);
  std::string text = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#8a8a8a\" "
      "stroke-width=\"0.5\">{}</rect>",
      x, y, size, size, shade.colour, title);
  if (beyond)
    text += fmt::format("<path d=\"M{} {}l{} {}\" stroke=\"#1b1b1b\" stroke-width=\"0.8\"/>", x, y,
                        size, size);
  return text;
}

std::string words(std::size_t x, std::size_t y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escape_markup(clean_line(text)));
}

/// Draws the legend with three colors per line.
std::string legend(std::size_t top) {
  std::string text;
  std::size_t i = 0;
  const auto add = [&](const ColorStep& shade, bool beyond) {
    const std::size_t x = kLeft + i % 3 * 320, y = top + i / 3 * kLegendLine;
    text += square(x, y, 16, shade, beyond, "") + words(x + 24, y + 14, "start", shade.words);
    ++i;
  };
  for (const ColorStep& shade : kColorSteps) add(shade, is_beyond(shade.max_ratio));
  add(kNotJudged, false);
  return text;
}

}  // namespace

Drawing draw_heat_map(const HeatMap& map, std::string_view label) {
  const std::size_t rows = map.rows.size(), columns = map.columns.size();
  const std::size_t size = std::clamp((kWidth - kLeft - 10) / std::max(columns, std::size_t{1}),
                                      std::size_t{4}, kLargestSquare);
  constexpr std::size_t kTopMargin = 2 * kLegendLine + 44;
  std::string body = legend(4);
  const std::size_t every_column = kLabelSpacing / size + 1, every_row = 18 / size + 1;
  for (std::size_t column = 0; column < columns; column += every_column)
    body += words(kLeft + column * size + size / 2, kTopMargin - 8, "middle", map.columns[column]);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t y = kTopMargin + row * size;
    if (row % every_row == 0) body += words(kLeft - 8, y + size / 2 + 5, "end", map.rows[row]);
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t i = row * columns + column;
      const double share = i < map.shares.size() ? map.shares[i] : std::nan("");
      const std::string name =
          fmt::format("{}, {}: {}", map.rows[row], map.columns[column],
                      std::isnan(share) ? kNotJudged.words : number_text(share));
      body += square(kLeft + column * size, y, size, find_color_step(share), is_beyond(share),
                     escape_markup(clean_line(name)));
    }
  }
  return {
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
                  "aria-label=\"{}\" font-size=\"16\" fill=\"#1b1b1b\">{}</svg>",
                  kWidth, kTopMargin + rows * size + 10, escape_markup(clean_line(label)), body),
      ""};
}

}  // namespace normproof::verification::support::report
