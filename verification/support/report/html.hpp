#pragma once

#include <string>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Renders the document as one self-contained HTML page.
///
/// Computes  a page that contains its style and pictures, without scripts and without addresses of
///           other files. Wide tables and pictures scroll in frames of their own. A word or sign
///           always repeats what a color says
std::string html(const Document& document);

}  // namespace normproof::verification::support::report
