#pragma once

#include <string_view>

namespace normproof::verification::support::report {

/// Returns the CSS style sheet that every HTML page contains.
std::string_view html_style();

}  // namespace normproof::verification::support::report
