#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// Returns the whole report as JSON, indented by 2. docs/guide/formats.md lists the keys in their
/// order. Numbers are written with the fewest digits that read back to the same bits. If the number
/// under the key "worst" is not finite, it is written as the string "inf" or "nan".
std::string json_report(const Report& report);

}  // namespace normproof::verification::cli::verify
