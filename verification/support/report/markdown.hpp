#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Computes  GitHub's Markdown. Pictures are files beside it; colours, hints and details are left
///           out
std::string markdown(const Document& document);

/// The text on one line, with what Markdown would take for its own signs escaped, and nothing else:
/// `a_b` and `1 < 2` stay as they are.
std::string escape_markdown(std::string_view text);

}  // namespace normproof::verification::support::report
