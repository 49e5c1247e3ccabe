#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

using support::report::Drawing;

/// Draws a picture by running gnuplot on a script that plots to its standard output. The script
/// must not set a terminal.
///
/// Computes  the picture as inline SVG: without XML declaration, comments and fixed size, so that
///           it scales with its viewBox. Every id is prefixed by `id`, and `label` describes the
///           picture. The same script and gnuplot give the same bytes, whatever the locale and the
///           user's settings
/// Requires  gnuplot 5 on PATH; if it is absent or fails, `failure` says so
Drawing draw(std::string_view script, std::string_view id, std::string_view label, int width,
             int height);

/// The second half of draw(): turns the SVG that gnuplot wrote into one that can stand inside HTML.
Drawing inline_svg(std::string_view svg, std::string_view id, std::string_view label);

}  // namespace normproof::verification::support::report
