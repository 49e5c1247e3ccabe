#pragma once

#include <string>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Renders the document as a self-contained HTML page.
///
/// Computes  a page with its style and pictures inside, without scripts and addresses. Wide tables
///           and pictures scroll inside their own frames. No color carries a meaning that a word or
///           sign does not
std::string html(const Document& document);

}  // namespace normproof::verification::support::report
