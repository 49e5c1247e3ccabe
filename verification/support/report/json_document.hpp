#pragma once

#include <string>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Returns the document as JSON that `normproof render` can read: {"title": ..., "parts": [...]}. A
/// Problem becomes three parts: a paragraph, a list, and a code part with its command. A Figure
/// becomes its caption. Hints, titles and details of cells are left out.
std::string json_document(const Document& document);

}  // namespace normproof::verification::support::report
