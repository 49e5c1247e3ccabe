#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

using support::report::Drawing;

/// Draws a picture with gnuplot. The script plots to standard output and must not set a terminal.
///
/// Computes  the picture as an <svg> element without XML declaration, comments and fixed size, so
///           that it scales with its viewBox. Every id in it begins with `id`, and `label` is its
///           description. The same script and the same version of gnuplot give the same bytes, for
///           any locale and any settings of the user
/// Requires  gnuplot 5 on PATH. If it is absent or fails, Drawing::failure has the reason
Drawing draw(std::string_view script, std::string_view id, std::string_view label, int width,
             int height);

/// Converts the SVG file that gnuplot wrote into an <svg> element that HTML can contain. draw()
/// calls it.
Drawing inline_svg(std::string_view svg, std::string_view id, std::string_view label);

}  // namespace normproof::verification::support::report
