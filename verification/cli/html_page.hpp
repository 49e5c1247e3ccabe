#pragma once

#include <string>
#include <string_view>

#include "verification/cli/gnuplot.hpp"

namespace normproof::verification::cli {

/// A page that needs nothing else: the style sheet inside, no script.
std::string html_page(std::string_view title, const std::string& body);

/// A picture above its caption, or why there is none.
std::string figure(const Drawing& drawing, std::string_view caption);

}  // namespace normproof::verification::cli
