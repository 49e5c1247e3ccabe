#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Renders the document as GitHub's Markdown. Pictures are files beside it; colors, hints and
/// details are left out.
std::string markdown(const Document& document);

/// Returns the text on one line, with a backslash before the signs that Markdown would interpret.
/// Other text, such as `a_b` and `1 < 2`, is unchanged.
std::string escape_markdown(std::string_view text);

}  // namespace normproof::verification::support::report
