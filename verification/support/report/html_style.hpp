#pragma once

#include <string_view>

namespace normproof::verification::support::report {

/// Returns the style sheet of every page.
std::string_view html_style();

}  // namespace normproof::verification::support::report
