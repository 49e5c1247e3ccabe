#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// Returns the whole report as JSON, indented by 2, with the keys of docs/guide/formats.md in their
/// order. Numbers have the shortest form that reads back to the same bits; a `worst` that is not
/// finite is the string "inf" or "nan".
std::string json_report(const Report& report);

}  // namespace normproof::verification::cli::verify
