#pragma once

#include <string_view>

namespace normproof::verification::cli {

/// The style sheet of the HTML report.
std::string_view html_style();

}  // namespace normproof::verification::cli
