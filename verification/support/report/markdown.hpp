#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Renders the document as GitHub Markdown. Pictures are separate files. Colors, hints and details
/// are left out.
std::string markdown(const Document& document);

/// Returns the text as one line in which Markdown signs are escaped by a backslash. Signs without a
/// meaning in Markdown, as in `a_b` and `1 < 2`, are unchanged.
std::string escape_markdown(std::string_view text);

}  // namespace normproof::verification::support::report
