#pragma once

#include "verification/report/text.hpp"

/// The text that commands print is made as that of reports is.
namespace normproof::verification::cli {

using report::clean;
using report::clean_line;
using report::count_text;
using report::cut;
using report::display_width;
using report::escape_markup;
using report::number_text;
using report::pad_right;
using report::percent;
using report::plural;
using report::wrap;

}  // namespace normproof::verification::cli
