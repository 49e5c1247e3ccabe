#pragma once

#include <string>
#include <string_view>

#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::tools {

/// Reads a document from JSON of the form {"title": ..., "parts": [...]}, which other programs
/// write. Each part has one of these keys; "tone" and "folded" are optional:
///
///     {"heading": "Findings", "level": 2}
///     {"paragraph": "...", "tone": "bad"}
///     {"list": ["...", ...]}
///     {"code": "..."}
///     {"table": "its caption", "columns": [{"name": "cases", "align": "right"}, ...],
///      "rows": [{"cells": ["7", ...], "tone": "bad", "notes": [...]}, ...], "folded": true}
///
/// Throws    FileError naming the file and the invalid field, or if there is no part
support::report::Document read_document(const std::string& file, std::string_view text);

}  // namespace normproof::verification::cli::tools
