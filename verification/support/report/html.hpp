#pragma once

#include <string>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Computes  a page that needs nothing else: style and pictures inside, no script, no address. Wide
///           tables and pictures scroll inside their own frames; a colour never says what no word
///           or sign says
std::string html(const Document& document);

}  // namespace normproof::verification::support::report
