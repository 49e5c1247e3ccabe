#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

using support::report::Drawing;

/// Runs gnuplot on a script that plots to its standard output; the script must not set a terminal.
///
/// Computes  the picture as inline SVG: without XML declaration, comments and fixed size (it scales
///           with its viewBox), every id preceded by `id`, described by `label`. The same script
///           gives the same bytes with the same gnuplot, whatever the locale and the user's
///           settings are
/// Requires  gnuplot 5 on PATH; where it is absent or fails, `failure` says so
Drawing draw(std::string_view script, std::string_view id, std::string_view label, int width,
             int height);

/// The second half of draw: gnuplot's SVG made fit to stand inside HTML.
Drawing inline_svg(std::string_view svg, std::string_view id, std::string_view label);

}  // namespace normproof::verification::support::report
